package agg

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Function{
		Name: "approx_count_distinct", Signature: "approx_count_distinct(expr[, relativeSD])",
		Summary:  "An estimate of the number of distinct non-null values, by HyperLogLog++.",
		Examples: []kernels.Example{{SQL: "SELECT approx_count_distinct(x) FROM VALUES (1), (1), (3) AS t(x)", Want: "2"}},
		MinArgs:  1, MaxArgs: 2,
		Bind: func(_ *kernels.Conf, args []kernels.Arg) (*Impl, error) {
			sd := 0.05
			if len(args) == 2 {
				v, isArray, null, ok := constants(args[1])
				if !ok || isArray || null {
					return nil, condition.New("_LEGACY_ERROR_TEMP_1104")
				}
				sd = v[0]
			}
			p := math.Ceil(2 * math.Log(1.106/sd) / math.Log(2))
			if !(p >= 4 && p <= 24) {
				return nil, condition.New("FAILED_FUNCTION_CALL", "funcName", "`approx_count_distinct`")
			}
			t := args[0].Type
			return &Impl{
				Args: typesOf(args), Result: vector.Long,
				State: []vector.Field{field("registers", vector.Binary, false)},
				New:   func() Accumulator { return &hll{t: t, p: uint(p)} },
			}, nil
		},
		SQL: func(args []string, distinct bool) string {
			return plainSQL("approx_count_distinct", args[:1], distinct)
		},
	})
}

// hll counts by HyperLogLog++ as Spark does: 2^p registers over xxhash64 with
// seed 42. State {block uint64}: the number + 1 of the group's registers, one byte
// each; a group without values has none.
type hll struct {
	t      *vector.Type
	p      uint
	blocks []byte
}

func (a *hll) Width() int { return 8 }
func (a *hll) Bytes() int { return cap(a.blocks) }

func (a *hll) Init(r Rows, lo, hi int) { r.clear(lo, hi, 1) }

// registers are those of a group, made if need be.
func (a *hll) registers(r Rows, g uint32) []byte {
	m := 1 << a.p
	b := at[uint64](r, g, 0)
	if *b == 0 {
		a.blocks = append(a.blocks, make([]byte, m)...)
		*b = uint64(len(a.blocks) >> a.p)
	}
	return a.blocks[(*b-1)<<a.p:][:m]
}

func (a *hll) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	hashes := kernels.XXHash64([]*vector.Type{a.t}, []vector.Vec{{Arr: args[0]}}, len(g))
	for i, x := range g {
		h := uint64(hashes[i])
		reg := byte(bits.LeadingZeros64(h<<a.p|1<<(a.p-1)) + 1)
		if p := &a.registers(r, x)[h>>(64-a.p)]; reg > *p {
			*p = reg
		}
	}
	return nil
}

// The forms of exported registers, in the first byte.
const (
	hllSparse = 1 // 4 bytes, little endian, per register that is not 0: index<<8 | value
	hllDense  = 2 // all registers, a byte each
)

var errRegisters = errors.New("agg: malformed HyperLogLog++ registers")

func (a *hll) Merge(r Rows, g []uint32, state []arrow.Array) error {
	off, data := vector.Strings(state[0])
	m := 1 << a.p
	for i, x := range g {
		p := data[off[i]:off[i+1]]
		if len(p) == 0 {
			continue
		}
		regs := a.registers(r, x)
		switch body := p[1:]; {
		case p[0] == hllDense && len(body) == m:
			for k, v := range body {
				regs[k] = max(regs[k], v)
			}
		case p[0] == hllSparse && len(body)%4 == 0:
			for ; len(body) > 0; body = body[4:] {
				e := binary.LittleEndian.Uint32(body)
				if int(e>>8) >= m {
					return errRegisters
				}
				regs[e>>8] = max(regs[e>>8], byte(e))
			}
		default:
			return errRegisters
		}
	}
	return nil
}

func (a *hll) Export(r Rows, g []uint32) []arrow.Array {
	off, data := make([]int32, len(g)+1), []byte(nil)
	for i, x := range g {
		if b := *at[uint64](r, x, 0); b > 0 {
			data = appendRegisters(data, a.blocks[(b-1)<<a.p:][:1<<a.p])
		}
		off[i+1] = int32(len(data))
	}
	return []arrow.Array{vector.NewString(vector.Binary, off, data, nil)}
}

func appendRegisters(dst, regs []byte) []byte {
	used := 0
	for _, v := range regs {
		if v > 0 {
			used++
		}
	}
	if 4*used >= len(regs) {
		return append(append(dst, hllDense), regs...)
	}
	dst = append(dst, hllSparse)
	for k, v := range regs {
		if v > 0 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(k)<<8|uint32(v))
		}
	}
	return dst
}

func (a *hll) Result(r Rows, g []uint32) (arrow.Array, error) {
	out := make([]int64, len(g))
	for i, x := range g {
		if b := *at[uint64](r, x, 0); b > 0 {
			out[i] = estimate(a.p, a.blocks[(b-1)<<a.p:][:1<<a.p])
		}
	}
	return vector.NewFixed(vector.Long, out, nil), nil
}

// estimate is the cardinality that registers tell.
func estimate(p uint, regs []byte) int64 {
	m := float64(len(regs))
	var inverse, zeros float64
	for _, v := range regs {
		inverse += 1 / float64(uint64(1)<<v)
		if v == 0 {
			zeros++
		}
	}
	alpha := 0.7213 / (1 + 1.079/m)
	switch p {
	case 4:
		alpha = 0.673
	case 5:
		alpha = 0.697
	case 6:
		alpha = 0.709
	}
	e := alpha * m * m / inverse
	corrected := e
	if p < 19 && e < 5*m {
		corrected = e - bias(p, e)
	}
	if zeros > 0 {
		linear := m * math.Log(m/zeros)
		if p < 19 && linear <= hllTables().thresholds[p-4] || e <= 2.5*m {
			corrected = linear
		}
	}
	return int64(math.Floor(corrected + 0.5))
}

// bias is the mean bias of the six raw estimates nearest to e.
func bias(p uint, e float64) float64 {
	const k = 6
	t := hllTables()
	estimates, biases := t.estimates[p-4], t.biases[p-4]
	n := len(estimates)
	at, _ := slices.BinarySearch(estimates, e)
	distance := func(i int) float64 { return (e - estimates[i]) * (e - estimates[i]) }
	low := max(at-k+1, 0)
	high := min(low+k, n)
	for high < n && distance(high) < distance(low) {
		low, high = low+1, high+1
	}
	sum := 0.0
	for _, b := range biases[low:high] {
		sum += b
	}
	return sum / float64(high-low)
}
