// Package stat sums up what benchmarks measure.
package stat

import "slices"

// Quantile is the value below which the part q of v, which has at least one value, lies.
func Quantile(v []float64, q float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[int(q*float64(len(v)-1))]
}

// Mean is the arithmetic mean of v.
func Mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
