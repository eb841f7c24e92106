package agg

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	for _, f := range []struct{ name, summary, want string }{
		{"vector_sum", "The element-wise sum of vectors of FLOAT; a vector with a null element does not count.", "[4.0, 6.0]"},
		{"vector_avg", "The element-wise mean of vectors of FLOAT; a vector with a null element does not count.", "[2.0, 3.0]"},
	} {
		Register(Function{
			Name: f.name, Signature: f.name + "(array)", Summary: f.summary,
			Examples: []kernels.Example{{SQL: "SELECT " + f.name + "(x) FROM VALUES (array(1.0F, 2.0F)), (array(3.0F, 4.0F)) AS t(x)", Want: f.want}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				if !kernels.FloatVector.Accepts(args[0].Type) {
					return nil, kernels.UnexpectedInput(call{name: f.name, conf: conf, args: args}.sql(), 0, kernels.FloatVector, args[0])
				}
				return &Impl{
					Args: typesOf(args), Result: vector.ArrayOf(vector.Float, false), Nullable: true, State: storedState("vector"), Ordered: true,
					New: func() Accumulator {
						a := &vectors{name: f.name, mean: f.name == "vector_avg"}
						a.fresh = func() *vectorState { return &vectorState{} }
						return a
					},
				}, nil
			},
		})
	}
}

// vectorState is the sum or the mean of count vectors.
type vectorState struct {
	count int64
	elems []float32
}

func (s *vectorState) Bytes() int { return 32 + 4*cap(s.elems) }

func (s *vectorState) AppendTo(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(s.count))
	for _, v := range s.elems {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	return dst
}

var errVector = errors.New("agg: malformed vector")

func parseVector(p []byte) (*vectorState, error) {
	if len(p) < 8 || len(p)%4 != 0 {
		return nil, errVector
	}
	s := &vectorState{count: int64(binary.LittleEndian.Uint64(p)), elems: make([]float32, len(p)/4-2)}
	for i := range s.elems {
		s.elems[i] = math.Float32frombits(binary.LittleEndian.Uint32(p[8+4*i:]))
	}
	if s.count <= 0 {
		return nil, errVector
	}
	return s, nil
}

// vectors adds vectors up, or keeps their mean, in the precision of FLOAT.
type vectors struct {
	grown[vectorState, *vectorState]
	name string
	mean bool
}

func (a *vectors) Update(_ Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	off, child := vector.Offsets(args[0]), vector.ListChild(args[0])
	values, ok := vector.Values[float32](child), vector.Validity(child)
rows:
	for i, x := range g {
		lo, hi := int(off[i]), int(off[i+1])
		for k := lo; ok != nil && k < hi; k++ {
			if !ok.Get(k) {
				continue rows
			}
		}
		if err := a.add(x, values[lo:hi]); err != nil {
			return err
		}
	}
	return nil
}

func (a *vectors) add(g uint32, v []float32) error {
	s := a.of(g)
	if s.count == 0 {
		s.count, s.elems = 1, append([]float32(nil), v...)
		return nil
	}
	if len(s.elems) != len(v) {
		return kernels.VectorMismatch(a.name, len(s.elems), len(v))
	}
	s.count++
	if !a.mean {
		for i, x := range v {
			s.elems[i] += x
		}
		return nil
	}
	share := 1 / float32(s.count)
	for i, x := range v {
		s.elems[i] += float32((x - s.elems[i]) * share)
	}
	return nil
}

func (a *vectors) Merge(_ Rows, g []uint32, state []arrow.Array) error {
	return mergeStored(g, state[0], func(g uint32, p []byte) error {
		o, err := parseVector(p)
		if err != nil {
			return err
		}
		s := a.of(g)
		switch {
		case s.count == 0:
			*s = *o
			return nil
		case len(s.elems) != len(o.elems):
			return kernels.VectorMismatch(a.name, len(s.elems), len(o.elems))
		}
		total := s.count + o.count
		own, other := float32(1), float32(1)
		if a.mean {
			own, other = float32(s.count)/float32(total), float32(o.count)/float32(total)
		}
		for i, x := range o.elems {
			s.elems[i] = float32(s.elems[i]*own) + float32(x*other)
		}
		s.count = total
		return nil
	})
}

func (a *vectors) Result(_ Rows, g []uint32) (arrow.Array, error) {
	off, out, ok := make([]int32, len(g)+1), []float32(nil), vector.NewValid(len(g))
	for i, x := range g {
		if s := a.states[x]; s != nil {
			out = append(out, s.elems...)
		} else {
			ok.Clear(i)
		}
		off[i+1] = int32(len(out))
	}
	return vector.NewList(vector.ArrayOf(vector.Float, false), off, vector.NewFixed(vector.Float, out, nil), ok), nil
}
