package sketch

import (
	_ "embed" // the tables
	"math"
	"sort"
	"sync"

	"github.com/vstream/vstream/internal/text"
)

// Estimate is the number of distinct values that the sketch has counted.
func (s *HLL) Estimate() float64 {
	switch {
	case s.mode != hllRegisters:
		t := hllTables()
		n := float64(s.count)
		return max(interpolate(t.couponX, func(i int) float64 { return t.couponY[i] }, n), n)
	case !s.outOfOrder:
		return s.hip
	}
	s.refresh()
	return s.composite()
}

// composite is the estimate from the registers alone: the corrected raw
// HyperLogLog estimate, or linear counting where that is better.
func (s *HLL) composite() float64 {
	t := hllTables()
	m := float64(int(1) << s.lgK)
	x, stride := t.x[s.lgK-MinLgK], t.stride[s.lgK-MinLgK]
	last := len(x) - 1
	raw := rawFactor(s.lgK, m) * m * m / (s.kxq0 + s.kxq1)
	switch {
	case raw < x[0]:
		return 0
	case raw > x[last]:
		return raw * (stride * float64(last) / x[last])
	}
	adjusted := interpolate(x, func(i int) float64 { return stride * float64(i) }, raw)
	if adjusted > 3*m {
		return adjusted
	}
	linear := m * math.Log(m/0.5)
	if zeros := s.zeros(); zeros > 0 {
		linear = m * (harmonic(int(m)) - harmonic(zeros))
	}
	crossOver := 0.64
	switch s.lgK {
	case 4:
		crossOver = 0.718
	case 5:
		crossOver = 0.672
	}
	if (adjusted+linear)/2 > crossOver*m {
		return adjusted
	}
	return linear
}

func rawFactor(lgK uint8, m float64) float64 {
	switch lgK {
	case 4:
		return 0.673
	case 5:
		return 0.697
	case 6:
		return 0.709
	}
	return 0.7213 / (1 + 1.079/m)
}

// interpolate is the value at v of the cubic through the four points around it,
// of a table that begins at or below v and ends at or above it.
func interpolate(x []float64, y func(i int) float64, v float64) float64 {
	last := len(x) - 1
	if v == x[last] {
		return y(last)
	}
	at := sort.Search(len(x), func(i int) bool { return x[i] > v }) - 1
	at = min(max(at-1, 0), last-3)
	sum := 0.0
	for i := at; i < at+4; i++ {
		n, d := 1.0, 1.0
		for j := at; j < at+4; j++ {
			if j != i {
				n *= v - x[j]
				d *= x[i] - x[j]
			}
		}
		sum += y(i) * n / d
	}
	return sum
}

// harmonic is the n-th harmonic number: exact for a small n, else by its
// asymptotic series.
func harmonic(n int) float64 {
	if n < 25 {
		sum := 0.0
		for i := 1; i <= n; i++ {
			sum += 1 / float64(i)
		}
		return sum
	}
	const euler = 0.577215664901532860606512090082
	x := float64(n)
	square := 1 / (x * x)
	sum, power := math.Log(x)+euler+1/(2*x), square
	for _, c := range [...]float64{-1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240} {
		sum += power * c
		power *= square
	}
	return sum
}

// hllText holds the empirical corrections of the DataSketches HLL sketch: the
// expected number of values by the number of coupons (lines "couponX" and
// "couponY"), and per register count, from 2^4 to 2^21, a line with the distance
// of the cardinalities and the raw estimates at 0, 1, 2, … times that distance.
//
//go:embed hll_tables.txt
var hllText string

type hllTable struct {
	couponX, couponY []float64
	stride           []float64
	x                [][]float64
}

// hllTables parses the tables on first use.
var hllTables = sync.OnceValue(func() *hllTable {
	t := &hllTable{}
	text.NumberRows(hllText, func(name string, row []float64) {
		switch name {
		case "couponX":
			t.couponX = row
		case "couponY":
			t.couponY = row
		default:
			t.stride, t.x = append(t.stride, row[0]), append(t.x, row[1:])
		}
	})
	return t
})
