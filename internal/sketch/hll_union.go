package sketch

import "slices"

// HLLUnion merges HLL sketches; its result has the least of the sketches' sizes
// and of its own.
type HLLUnion struct {
	max    int
	result *HLL
}

// NewHLLUnion is an empty union whose result has at most 2^lgMax registers.
func NewHLLUnion(lgMax int) *HLLUnion { return &HLLUnion{lgMax, NewHLL(lgMax)} }

// Result is the sketch of all that was added; the union keeps it.
func (u *HLLUnion) Result() *HLL {
	u.result.refresh()
	return u.result
}

// Add merges a sketch in, which stays as it is. A sketch that is replayed adds a
// hash table coupon by coupon even where it could be taken as it is, which
// decides about the order in the resulting table.
func (u *HLLUnion) Add(s *HLL, replay bool) {
	to := u.result
	switch {
	case s.empty():
	case s.mode == hllSet && to.empty() && s.lgK == to.lgK && !replay:
		u.result = s.clone()
	case s.mode != hllRegisters:
		to.addCoupons(s)
	case to.mode != hllRegisters: // the other way round
		u.result = s.downTo(u.max)
		u.result.addCoupons(to)
	default:
		if s.lgK < to.lgK {
			u.result = to.downTo(int(s.lgK))
		}
		u.result.mergeRegisters(s)
	}
}

func (s *HLL) clone() *HLL {
	c := *s
	c.coupons, c.regs = slices.Clone(s.coupons), slices.Clone(s.regs)
	return &c
}

func (s *HLL) addCoupons(from *HLL) {
	for _, c := range from.coupons {
		if c != 0 {
			s.Add(c)
		}
	}
}

// downTo is a copy of a sketch in registers with at most 2^lgK of them.
func (s *HLL) downTo(lgK int) *HLL {
	if int(s.lgK) <= lgK {
		return s.clone()
	}
	m := 1 << lgK
	out := &HLL{lgK: uint8(lgK), mode: hllRegisters, regs: make([]byte, m), atLeast: m, kxq0: float64(m)}
	for i, v := range s.regs {
		if v > 0 {
			out.raise(i&(m-1), v)
		}
	}
	out.hip, out.outOfOrder = s.hip, s.outOfOrder
	return out
}

func (s *HLL) mergeRegisters(from *HLL) {
	mask := len(s.regs) - 1
	for i, v := range from.regs {
		s.regs[i&mask] = max(s.regs[i&mask], v)
	}
	s.stale, s.outOfOrder, s.hip = true, true, 0
}

// Bytes is the memory that the union takes.
func (u *HLLUnion) Bytes() int { return 16 + u.result.Bytes() }

// AppendTo adds the result in DataSketches' updatable form.
func (u *HLLUnion) AppendTo(dst []byte) []byte { return u.Result().AppendTo(dst) }
