package agg

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// States holds the states of several aggregates for the groups 0..Len() of one
// table. The fixed-width states of a group lie in one row of flat memory:
//
//	state of aggregate 0, of aggregate 1, …; one flag byte each; epoch (4 bytes); padding to 8
//
// so that a group costs one cache miss however many aggregates it has. The
// epoch is that of the group's last change.
type States struct {
	accs   []Accumulator
	offs   []uintptr
	flags  uintptr
	epoch  uintptr
	stride uintptr
	mem    *vector.Memory
	base   unsafe.Pointer
	n      int
}

// NewStates makes the states of no group.
func NewStates(impls []*Impl) *States {
	s := &States{accs: make([]Accumulator, len(impls)), offs: make([]uintptr, len(impls))}
	off := uintptr(0)
	for i, im := range impls {
		s.accs[i] = im.New()
		s.offs[i] = off
		off += uintptr(s.accs[i].Width())
	}
	s.flags = off
	s.epoch = (off + uintptr(len(impls)) + 3) &^ 3
	s.stride = (s.epoch + 4 + 7) &^ 7
	return s
}

// Len is the number of groups.
func (s *States) Len() int { return s.n }

// Bytes is the memory in use.
func (s *States) Bytes() int {
	n := s.mem.Len()
	for _, a := range s.accs {
		n += a.Bytes()
	}
	return n
}

func (s *States) rows(i int) Rows {
	return Rows{base: unsafe.Add(s.base, s.offs[i]), stride: s.stride, flag: s.flags + uintptr(i) - s.offs[i]}
}

// Grow adds empty groups up to n.
func (s *States) Grow(n int) {
	if n <= s.n {
		return
	}
	lo := s.n
	if need := n * int(s.stride); need > s.mem.Len() {
		s.mem = s.mem.Grow(lo*int(s.stride), need)
		s.base = unsafe.Pointer(unsafe.SliceData(s.mem.Bytes()))
	}
	s.n = n
	for g := lo; g < n; g++ {
		*s.epochOf(uint32(g)) = 0
	}
	s.init(lo, n)
}

func (s *States) init(lo, hi int) {
	for i, a := range s.accs {
		a.Init(s.rows(i), lo, hi)
	}
}

// Reset makes the state of one group empty again.
func (s *States) Reset(g uint32) { s.init(int(g), int(g)+1) }

// Truncate forgets all groups and keeps the memory of the rows.
func (s *States) Truncate(impls []*Impl) {
	s.n = 0
	for i, im := range impls {
		s.accs[i] = im.New()
	}
}

// Free gives the memory back; the States must not be used any more.
func (s *States) Free() {
	s.mem.Free()
	s.mem, s.base, s.n = nil, nil, 0
}

func (s *States) epochOf(g uint32) *uint32 {
	return (*uint32)(unsafe.Add(s.base, uintptr(g)*s.stride+s.epoch))
}

// Touch marks groups as changed in an epoch (not 0) and appends those that were
// not yet marked to dirty, in order.
func (s *States) Touch(g []uint32, epoch uint32, dirty []uint32) []uint32 {
	base, stride, off := s.base, s.stride, s.epoch
	for _, x := range g {
		p := (*uint32)(unsafe.Add(base, uintptr(x)*stride+off))
		if *p != epoch {
			*p = epoch
			dirty = append(dirty, x)
		}
	}
	return dirty
}

// Update folds argument rows into aggregate i.
func (s *States) Update(i int, g []uint32, args []arrow.Array) error {
	return s.accs[i].Update(s.rows(i), g, args)
}

// Merge folds exported states into aggregate i.
func (s *States) Merge(i int, g []uint32, state []arrow.Array) error {
	return s.accs[i].Merge(s.rows(i), g, state)
}

// Restore puts exported states into the empty ones of aggregate i: from then on the
// groups go on exactly as those that were exported.
func (s *States) Restore(i int, g []uint32, state []arrow.Array) error {
	if a, ok := s.accs[i].(restorer); ok {
		a.Restore(s.rows(i), g, state)
		return nil
	}
	return s.Merge(i, g, state)
}

// Export is the states of aggregate i as columns.
func (s *States) Export(i int, g []uint32) []arrow.Array {
	return s.accs[i].Export(s.rows(i), g)
}

// Result is the values of aggregate i.
func (s *States) Result(i int, g []uint32) (arrow.Array, error) {
	return s.accs[i].Result(s.rows(i), g)
}
