package agg

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// pairs is the state over pairs (x, y): number, means, the sum of the products of
// the deviations, the sums of their squares.
type pairs struct{ n, xAvg, yAvg, ck, xMk, yMk float64 }

// pairNames are the columns of the state, at these places.
var pairNames = []string{"n", "xAvg", "yAvg", "ck", "xMk", "yMk"}

const (
	pairN = iota
	pairXAvg
	pairYAvg
	pairCk
	pairXMk
	pairYMk
)

// covariances is the buffer in which Spark does without the squares.
var covariances = []BufferField{
	{"n", vector.Double, pairN}, {"xAvg", vector.Double, pairXAvg}, {"yAvg", vector.Double, pairYAvg}, {"ck", vector.Double, pairCk},
}

// swapped is the buffer in which Spark has x and y the other way round.
var swapped = []BufferField{
	{"n", vector.Double, pairN}, {"xAvg", vector.Double, pairYAvg}, {"yAvg", vector.Double, pairXAvg}, {"ck", vector.Double, pairCk},
	{"xMk", vector.Double, pairYMk}, {"yMk", vector.Double, pairXMk},
}

// squares is Spark's buffer of the second moment of x or y.
func squares(avg, m2 int) []BufferField {
	return []BufferField{{"n", vector.Double, pairN}, {"avg", vector.Double, avg}, {"m2", vector.Double, m2}}
}

// slopes is Spark's buffer of a regression line.
var slopes = append(covariances[:len(covariances):len(covariances)], squares(pairXAvg, pairXMk)...)

func init() {
	corr := func(s *pairs) (float64, bool) {
		d := math.Sqrt(s.xMk * s.yMk)
		return s.ck / d, s.n > 1 && d != 0
	}
	slope := func(s *pairs) (float64, bool) { return s.ck / s.xMk, s.n > 1 && s.xMk != 0 }
	for _, f := range []struct {
		name, what string
		swap       bool // the arguments are (y, x)
		buffer     []BufferField
		finish     func(s *pairs) (float64, bool)
	}{
		{"corr", "Pearson correlation", false, nil, corr},
		{"covar_pop", "population covariance", false, covariances, func(s *pairs) (float64, bool) { return s.ck / s.n, s.n > 0 }},
		{"covar_samp", "sample covariance", false, covariances, func(s *pairs) (float64, bool) { return s.ck / (s.n - 1), s.n > 1 }},
		{"regr_slope", "slope of the linear regression", true, slopes, slope},
		{"regr_intercept", "intercept of the linear regression", true, slopes, func(s *pairs) (float64, bool) {
			b, ok := slope(s)
			return s.yAvg - b*s.xAvg, ok
		}},
		{"regr_r2", "coefficient of determination of the linear regression", true, swapped, func(s *pairs) (float64, bool) {
			switch {
			case s.n < 2, s.xMk == 0:
				return 0, false
			case s.yMk == 0:
				return 1, true
			}
			return s.ck / s.xMk * s.ck / s.yMk, true
		}},
		{"regr_sxx", "sum of the squares of x's deviations", true, squares(pairXAvg, pairXMk), func(s *pairs) (float64, bool) { return s.xMk, s.n > 0 }},
		{"regr_syy", "sum of the squares of y's deviations", true, squares(pairYAvg, pairYMk), func(s *pairs) (float64, bool) { return s.yMk, s.n > 0 }},
		{"regr_sxy", "sum of the products of the deviations", true, swapped[:4], func(s *pairs) (float64, bool) { return s.ck, s.n > 0 }},
		{"regr_avgx", "mean of x", true, nil, func(s *pairs) (float64, bool) { return s.xAvg, s.n > 0 }},
		{"regr_avgy", "mean of y", true, nil, func(s *pairs) (float64, bool) { return s.yAvg, s.n > 0 }},
	} {
		params := "x, y"
		if f.swap {
			params = "y, x"
		}
		Register(Function{
			Name: f.name, Signature: f.name + "(" + params + ")",
			Summary: "The " + f.what + " over the rows in which neither is null; null if they do not determine it.",
			MinArgs: 2, MaxArgs: 2,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				types, err := call{name: f.name, conf: conf, args: args}.cast(kernels.Double)
				if err != nil {
					return nil, err
				}
				return &Impl{
					Args: types, Result: vector.Double, Nullable: true,
					State:  doubles(pairNames),
					Buffer: f.buffer,
					New:    func() Accumulator { return covariance{f.swap, f.finish} },
				}, nil
			},
		})
	}
	Register(Function{
		Name: "regr_count", Signature: "regr_count(y, x)",
		Summary: "The number of rows in which neither argument is null.",
		MinArgs: 2, MaxArgs: 2,
		Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
			types, err := call{name: "regr_count", conf: conf, args: args}.cast(kernels.Double)
			if err != nil {
				return nil, err
			}
			return countImpl(types, func() Accumulator { return count{} }), nil
		},
	})
}

// covariance keeps pairs: state {pairs}. The formulas are those of Spark's
// Covariance and PearsonCorrelation.
type covariance struct {
	swap   bool
	finish func(s *pairs) (float64, bool)
}

func (covariance) Width() int { return 48 }
func (covariance) Bytes() int { return 0 }

func (covariance) Init(r Rows, lo, hi int) { r.clear(lo, hi, 6) }

func (a covariance) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0], args[1])
	xs, ys := vector.Values[float64](args[0])[:len(g)], vector.Values[float64](args[1])[:len(g)]
	if a.swap {
		xs, ys = ys, xs
	}
	for i, k := range g {
		s := at[pairs](r, k, 0)
		x, y := xs[i], ys[i]
		s.n++
		dx, dy := x-s.xAvg, y-s.yAvg
		s.xAvg += dx / s.n
		s.yAvg += dy / s.n
		s.ck += dx * (y - s.yAvg)
		s.xMk += dx * (x - s.xAvg)
		s.yMk += dy * (y - s.yAvg)
	}
	return nil
}

func (a covariance) Merge(r Rows, g []uint32, state []arrow.Array) error {
	var c [6][]float64
	for i := range c {
		c[i] = vector.Values[float64](state[i])
	}
	for i, k := range g {
		s := at[pairs](r, k, 0)
		n1, n2 := s.n, c[0][i]
		if n2 == 0 {
			continue
		}
		s.n = n1 + n2
		dx, dy := c[1][i]-s.xAvg, c[2][i]-s.yAvg
		dxN, dyN := dx/s.n, dy/s.n
		s.xAvg += dxN * n2
		s.yAvg += dyN * n2
		s.ck += c[3][i] + dx*dyN*n1*n2
		s.xMk += c[4][i] + dx*dxN*n1*n2
		s.yMk += c[5][i] + dy*dyN*n1*n2
	}
	return nil
}

func (a covariance) Restore(r Rows, g []uint32, state []arrow.Array) { restoreDoubles(r, g, state) }

func (a covariance) Export(r Rows, g []uint32) []arrow.Array { return exportDoubles(r, g, 6) }

func (a covariance) Result(r Rows, g []uint32) (arrow.Array, error) {
	out, ok := make([]float64, len(g)), vector.NewValid(len(g))
	for i, k := range g {
		v, has := a.finish(at[pairs](r, k, 0))
		if !has {
			ok.Clear(i)
			continue
		}
		out[i] = v
	}
	return vector.NewFixed(vector.Double, out, ok), nil
}
