package agg

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

func init() {
	for _, f := range []struct {
		name, what, want string
		aliases          []string
		order            int // the highest moment it needs
		finish           func(m *[5]float64) (float64, bool)
	}{
		{"stddev", "sample standard deviation", "1.0", []string{"std", "stddev_samp"}, 2, func(m *[5]float64) (float64, bool) { return math.Sqrt(m[2] / (m[0] - 1)), m[0] > 1 }},
		{"stddev_pop", "population standard deviation", "0.816496580927726", nil, 2, func(m *[5]float64) (float64, bool) { return math.Sqrt(m[2] / m[0]), m[0] > 0 }},
		{"variance", "sample variance", "1.0", []string{"var_samp"}, 2, func(m *[5]float64) (float64, bool) { return m[2] / (m[0] - 1), m[0] > 1 }},
		{"var_pop", "population variance", "0.6666666666666666", nil, 2, func(m *[5]float64) (float64, bool) { return m[2] / m[0], m[0] > 0 }},
		{"skewness", "skewness", "0.0", nil, 3, func(m *[5]float64) (float64, bool) {
			return math.Sqrt(m[0]) * m[3] / math.Sqrt(m[2]*m[2]*m[2]), m[0] > 0 && m[2] != 0
		}},
		{"kurtosis", "excess kurtosis", "-1.5", nil, 4, func(m *[5]float64) (float64, bool) {
			return m[0]*m[4]/(m[2]*m[2]) - 3, m[0] > 0 && m[2] != 0
		}},
	} {
		Register(Function{
			Name: f.name, Aliases: f.aliases, Signature: f.name + "(expr)",
			Summary:  "The " + f.what + " of the non-null values; null if they do not determine it.",
			Examples: []kernels.Example{{SQL: "SELECT " + f.name + "(x) FROM VALUES (1), (2), (3) AS t(x)", Want: f.want}},
			MinArgs:  1, MaxArgs: 1,
			Bind: func(conf *kernels.Conf, args []kernels.Arg) (*Impl, error) {
				types, err := call{name: f.name, conf: conf, args: args}.cast(kernels.Double)
				if err != nil {
					return nil, err
				}
				names := []string{"n", "avg", "m2", "m3", "m4"}[:f.order+1]
				return &Impl{
					Args: types, Result: vector.Double, Nullable: true, State: doubles(names),
					New: func() Accumulator { return moments{order: f.order, finish: f.finish} },
				}, nil
			},
		})
	}
}

func doubles(names []string) []vector.Field {
	out := make([]vector.Field, len(names))
	for i, n := range names {
		out[i] = field(n, vector.Double, false)
	}
	return out
}

// moments keeps count, mean and central moments up to an order: state {n, avg,
// m2, m3, m4 float64}, of which it uses order+1. The formulas are those of
// Spark's CentralMomentAgg, so that results agree to the last bit for one order of rows.
type moments struct {
	order  int
	finish func(m *[5]float64) (float64, bool)
}

func (moments) Width() int { return 40 }
func (moments) Bytes() int { return 0 }

func (moments) Init(r Rows, lo, hi int) { r.clear(lo, hi, 5) }

func (a moments) Update(r Rows, g []uint32, args []arrow.Array) error {
	g, args = valid(g, args[0])
	v := vector.Values[float64](args[0])[:len(g)]
	for i, x := range g {
		m := at[[5]float64](r, x, 0)
		n := m[0] + 1
		delta := v[i] - m[1]
		deltaN := delta / n
		m[0] = n
		m[1] += deltaN
		m[2] += delta * (delta - deltaN)
		if a.order < 3 {
			continue
		}
		delta2, deltaN2 := delta*delta, deltaN*deltaN
		m[3] = m[3] - 3*deltaN*m[2] + delta*(delta2-deltaN2)
		if a.order > 3 {
			m[4] = m[4] - 4*deltaN*m[3] - 6*deltaN2*m[2] + delta*(delta*delta2-deltaN*deltaN2)
		}
	}
	return nil
}

func (a moments) Merge(r Rows, g []uint32, state []arrow.Array) error {
	cols := make([][]float64, 5)
	for i := range cols {
		cols[i] = make([]float64, len(g))
		if i <= a.order {
			cols[i] = vector.Values[float64](state[i])
		}
	}
	for i, x := range g {
		m := at[[5]float64](r, x, 0)
		n1, n2 := m[0], cols[0][i]
		n := n1 + n2
		if n2 == 0 {
			continue
		}
		delta := cols[1][i] - m[1]
		deltaN := delta / n
		m2a, m2b, m3a, m3b := m[2], cols[2][i], m[3], cols[3][i]
		m[0] = n
		m[1] += deltaN * n2
		m[2] = m2a + m2b + delta*deltaN*n1*n2
		if a.order < 3 {
			continue
		}
		m[3] = m3a + m3b + deltaN*deltaN*delta*n1*n2*(n1-n2) + 3*deltaN*(n1*m2b-n2*m2a)
		if a.order > 3 {
			m[4] += cols[4][i] + deltaN*deltaN*deltaN*delta*n1*n2*(n1*n1-n1*n2+n2*n2) +
				6*deltaN*deltaN*(n1*n1*m2b+n2*n2*m2a) + 4*deltaN*(n1*m3b-n2*m3a)
		}
	}
	return nil
}

func (a moments) Restore(r Rows, g []uint32, state []arrow.Array) { restoreDoubles(r, g, state) }

func (a moments) Export(r Rows, g []uint32) []arrow.Array {
	return exportDoubles(r, g, a.order+1)
}

// restoreDoubles is the inverse of exportDoubles.
func restoreDoubles(r Rows, g []uint32, state []arrow.Array) {
	for i, c := range state {
		v := vector.Values[float64](c)
		for k, x := range g {
			*at[float64](r, x, uintptr(8*i)) = v[k]
		}
	}
}

// exportDoubles is the first n doubles of the states, one column each.
func exportDoubles(r Rows, g []uint32, n int) []arrow.Array {
	out := make([]arrow.Array, n)
	for i := range out {
		out[i] = vector.NewFixed(vector.Double, gather[float64](r, g, uintptr(8*i)), nil)
	}
	return out
}

func (a moments) Result(r Rows, g []uint32) (arrow.Array, error) {
	out, ok := make([]float64, len(g)), vector.NewValid(len(g))
	for i, x := range g {
		v, has := a.finish(at[[5]float64](r, x, 0))
		if !has {
			ok.Clear(i)
			continue
		}
		out[i] = v
	}
	return vector.NewFixed(vector.Double, out, ok), nil
}
