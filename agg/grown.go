package agg

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// grownState is a state in memory of its own: a sketch.
type grownState[T any] interface {
	*T
	Bytes() int
	AppendTo(dst []byte) []byte // its stored form, never empty
}

// grown keeps such a state per group; nil for a group without values, which is
// stored as no bytes. An accumulator embeds it and adds Update, Merge and Result.
type grown[T any, P grownState[T]] struct {
	states []P
	fresh  func() P
}

func (a *grown[T, P]) Width() int { return 0 }

func (a *grown[T, P]) Bytes() int {
	n := 8 * len(a.states)
	for _, s := range a.states {
		if s != nil {
			n += s.Bytes()
		}
	}
	return n
}

func (a *grown[T, P]) Init(_ Rows, lo, hi int) {
	for len(a.states) < hi {
		a.states = append(a.states, nil)
	}
	clear(a.states[lo:hi])
}

// of is the state of a group, made if need be.
func (a *grown[T, P]) of(g uint32) P {
	if a.states[g] == nil {
		a.states[g] = a.fresh()
	}
	return a.states[g]
}

func (a *grown[T, P]) Export(_ Rows, g []uint32) []arrow.Array {
	off, data := make([]int32, len(g)+1), []byte(nil)
	for i, x := range g {
		if s := a.states[x]; s != nil {
			data = s.AppendTo(data)
		}
		off[i+1] = int32(len(data))
	}
	return []arrow.Array{vector.NewString(vector.Binary, off, data, nil)}
}

// mergeStored folds in states as Export gives them.
func mergeStored(g []uint32, state arrow.Array, merge func(g uint32, p []byte) error) error {
	off, data := vector.Strings(state)
	for i, x := range g {
		if p := data[off[i]:off[i+1]]; len(p) > 0 {
			if err := merge(x, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// binaries is a binary column of a value per group.
func binaries(g []uint32, value func(dst []byte, g uint32) []byte) arrow.Array {
	off, data := make([]int32, len(g)+1), []byte(nil)
	for i, x := range g {
		data = value(data, x)
		off[i+1] = int32(len(data))
	}
	return vector.NewString(vector.Binary, off, data, nil)
}

// storedState is the only state column of a grown state.
func storedState(name string) []vector.Field {
	return []vector.Field{field(name, vector.Binary, false)}
}
