package sketch

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// The bounds of the log2 of the number of an HLL sketch's registers.
const (
	MinLgK     = 4
	MaxLgK     = 21
	DefaultLgK = 12
)

// ErrHLL is a byte string that is no HLL sketch of 8-bit registers.
var ErrHLL = errors.New("sketch: malformed HLL sketch")

type hllMode uint8

const (
	hllList hllMode = iota // up to 8 coupons in the order of their arrival
	hllSet                 // coupons in a hash table
	hllRegisters
)

// A coupon is the place and the value of a register: 6 bits of value over 26 of place.
const (
	couponBits = 26
	couponMask = 1<<couponBits - 1

	lgListSize = 3
	lgSetSize  = 5 // at first
)

// HLL is a DataSketches HllSketch of type HLL_8. It counts exactly until it has
// some coupons (sparse modes), then by registers with a running estimate (HIP)
// that only holds as long as it was not merged with other registers.
type HLL struct {
	lgK  uint8
	mode hllMode

	coupons []uint32 // 0 is empty
	count   int

	regs       []byte
	least      byte // the value of the least registers, and their number; kept up to date only for 0
	atLeast    int
	hip        float64
	kxq0, kxq1 float64 // the sum of 2^-register, of those below 32 and of the others
	outOfOrder bool
	stale      bool // least, atLeast and kxq do not fit the registers
}

// NewHLL is an empty sketch of 2^lgK registers.
func NewHLL(lgK int) *HLL { return &HLL{lgK: uint8(lgK), coupons: make([]uint32, 1<<lgListSize)} }

// LgK is the log2 of the number of registers.
func (s *HLL) LgK() int { return int(s.lgK) }

// Bytes is the memory that the sketch takes.
func (s *HLL) Bytes() int { return 96 + 4*cap(s.coupons) + cap(s.regs) }

func (s *HLL) empty() bool { return s.mode != hllRegisters && s.count == 0 }

// Coupon is what a hash adds to a sketch.
func Coupon(h1, h2 uint64) uint32 {
	value := min(bits.LeadingZeros64(h2), 62) + 1
	return uint32(value)<<couponBits | uint32(h1)&couponMask
}

// Add counts a coupon.
func (s *HLL) Add(coupon uint32) {
	switch s.mode {
	case hllRegisters:
		s.raise(int(coupon)&(1<<s.lgK-1), byte(coupon>>couponBits))
	case hllSet:
		s.addToSet(coupon)
	default:
		s.addToList(coupon)
	}
}

func (s *HLL) addToList(coupon uint32) {
	for i, c := range s.coupons {
		switch c {
		case coupon:
			return
		case 0:
			s.coupons[i] = coupon
			s.count++
			if s.count == len(s.coupons) {
				s.leaveList()
			}
			return
		}
	}
}

func (s *HLL) leaveList() {
	if s.lgK < 8 {
		s.toRegisters()
		return
	}
	old := s.coupons
	s.mode, s.coupons, s.count = hllSet, make([]uint32, 1<<lgSetSize), 0
	for _, c := range old {
		s.addToSet(c)
	}
}

func (s *HLL) addToSet(coupon uint32) {
	i, found := findCoupon(s.coupons, coupon)
	if found || i < 0 {
		return
	}
	s.coupons[i] = coupon
	s.count++
	if 4*s.count <= 3*len(s.coupons) {
		return
	}
	if bits.Len(uint(len(s.coupons)))-1 == int(s.lgK)-3 {
		s.toRegisters()
		return
	}
	old := s.coupons
	s.coupons = make([]uint32, 2*len(old))
	for _, c := range old {
		if c != 0 {
			i, _ := findCoupon(s.coupons, c)
			s.coupons[i] = c
		}
	}
}

// findCoupon is the place of a coupon in a hash table, or the one where it would
// go; -1 if the table is full.
func findCoupon(table []uint32, coupon uint32) (int, bool) {
	mask := uint32(len(table) - 1)
	stride := coupon&couponMask>>bits.Len32(mask) | 1
	for i, n := coupon&mask, 0; n < len(table); i, n = (i+stride)&mask, n+1 {
		switch table[i] {
		case 0:
			return int(i), false
		case coupon:
			return int(i), true
		}
	}
	return -1, false
}

// toRegisters leaves the sparse modes.
func (s *HLL) toRegisters() {
	estimate, old := s.Estimate(), s.coupons
	s.mode, s.coupons, s.count = hllRegisters, nil, 0
	s.regs, s.atLeast, s.kxq0 = make([]byte, 1<<s.lgK), 1<<s.lgK, float64(int(1)<<s.lgK)
	for _, c := range old {
		if c != 0 {
			s.Add(c)
		}
	}
	s.hip = estimate
}

// raise puts a value into a register if it is greater than the one there.
func (s *HLL) raise(slot int, value byte) {
	old := s.regs[slot]
	if value <= old {
		return
	}
	s.regs[slot] = value
	s.hip += float64(int(1)<<s.lgK) / (s.kxq0 + s.kxq1)
	if old < 32 {
		s.kxq0 -= math.Ldexp(1, -int(old))
	} else {
		s.kxq1 -= math.Ldexp(1, -int(old))
	}
	if value < 32 {
		s.kxq0 += math.Ldexp(1, -int(value))
	} else {
		s.kxq1 += math.Ldexp(1, -int(value))
	}
	if old == 0 {
		s.atLeast--
	}
}

// zeros is the number of registers that are 0.
func (s *HLL) zeros() int {
	if s.least > 0 {
		return 0
	}
	return s.atLeast
}

// refresh computes least, atLeast and kxq from the registers.
func (s *HLL) refresh() {
	if !s.stale {
		return
	}
	s.stale, s.kxq0, s.kxq1 = false, float64(int(1)<<s.lgK), 0
	s.least, s.atLeast = 64, 0
	for _, v := range s.regs {
		switch {
		case v == 0:
		case v < 32:
			s.kxq0 += math.Ldexp(1, -int(v)) - 1
		default:
			s.kxq1 += math.Ldexp(1, -int(v)) - 1
		}
		switch {
		case v < s.least:
			s.least, s.atLeast = v, 1
		case v == s.least:
			s.atLeast++
		}
	}
}

// The layout of the bytes: see the DataSketches HLL sketch, serial version 1.
const (
	hllVersion, hllFamily            = 1, 7
	flagEmpty, flagCompact, flagOOO  = 4, 8, 16
	flagStale                        = 32
	hll8                             = 2 << 2 // register type in the mode byte
	listStart, setStart, hllRegStart = 8, 12, 40
)

// AppendTo adds the sketch in DataSketches' updatable form.
func (s *HLL) AppendTo(dst []byte) []byte {
	var flags byte
	if s.empty() {
		flags |= flagEmpty
	}
	if s.outOfOrder {
		flags |= flagOOO
	}
	lgArr := byte(0)
	if s.mode != hllRegisters {
		lgArr = byte(bits.Len(uint(len(s.coupons))) - 1)
	}
	start := [...]int{listStart, setStart, hllRegStart}[s.mode]
	dst = append(dst, byte(start/4), hllVersion, hllFamily, s.lgK, lgArr, flags, 0, hll8|byte(s.mode))
	switch s.mode {
	case hllList:
		dst[len(dst)-2] = byte(s.count)
	case hllSet:
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.count))
	default:
		s.refresh()
		dst[len(dst)-2] = s.least
		for _, v := range []float64{s.hip, s.kxq0, s.kxq1} {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.atLeast))
		dst = binary.LittleEndian.AppendUint32(dst, 0) // no exceptions
		return append(dst, s.regs...)
	}
	for _, c := range s.coupons {
		dst = binary.LittleEndian.AppendUint32(dst, c)
	}
	return dst
}

// ParseHLL reads a sketch in the updatable or compact form.
func ParseHLL(p []byte) (*HLL, error) {
	if len(p) < 8 || p[1] != hllVersion || p[2] != hllFamily || p[3] < MinLgK || p[3] > MaxLgK || p[7]&3 > 2 {
		return nil, ErrHLL
	}
	s := &HLL{lgK: p[3], mode: hllMode(p[7] & 3)}
	start := [...]int{listStart, setStart, hllRegStart}[s.mode]
	if int(p[0])*4 != start || len(p) < start {
		return nil, ErrHLL
	}
	body, ok := p[start:], false
	switch s.mode {
	case hllList:
		ok = s.readList(int(p[6]), body)
	case hllSet:
		ok = s.lgK >= 8 && s.readSet(p, body)
	default:
		ok = p[7]&(3<<2) == hll8 && s.readRegisters(p, body)
	}
	if !ok {
		return nil, ErrHLL
	}
	return s, nil
}

func (s *HLL) readList(count int, body []byte) bool {
	s.coupons = make([]uint32, 1<<lgListSize)
	if count >= len(s.coupons) || len(body) < 4*count {
		return false
	}
	s.count = count
	for i := range count {
		if s.coupons[i] = binary.LittleEndian.Uint32(body[4*i:]); s.coupons[i] == 0 {
			return false
		}
	}
	return true
}

func (s *HLL) readSet(p, body []byte) bool {
	count, lgArr := int(int32(binary.LittleEndian.Uint32(p[8:]))), int(p[4])
	if p[5]&flagCompact != 0 {
		s.coupons = make([]uint32, 1<<lgSetSize)
		if count < 0 || len(body)/4 < count {
			return false
		}
		for i := range count {
			if s.mode != hllSet { // more coupons than a set has
				return false
			}
			s.Add(binary.LittleEndian.Uint32(body[4*i:]))
		}
		return true
	}
	if lgArr < lgSetSize || lgArr > int(s.lgK)-3 || len(body) < 4<<lgArr {
		return false
	}
	s.coupons = make([]uint32, 1<<lgArr)
	for i := range s.coupons {
		if s.coupons[i] = binary.LittleEndian.Uint32(body[4*i:]); s.coupons[i] != 0 {
			s.count++
		}
	}
	return s.count == count && 4*count <= 3*len(s.coupons)
}

func (s *HLL) readRegisters(p, body []byte) bool {
	if len(body) < 1<<s.lgK {
		return false
	}
	double := func(at int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(p[at:])) }
	s.hip, s.kxq0, s.kxq1 = double(8), double(16), double(24)
	s.least, s.atLeast = p[6], int(int32(binary.LittleEndian.Uint32(p[32:])))
	s.outOfOrder, s.stale = p[5]&flagOOO != 0, p[5]&flagStale != 0
	s.regs = append([]byte(nil), body[:1<<s.lgK]...)
	for _, v := range s.regs {
		if v > 63 {
			return false
		}
	}
	return s.least <= 64 && s.atLeast >= 0 && s.atLeast <= len(s.regs)
}
