package agg

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sort"
)

// sample is an element of a quantile summary: a value, the gap of its least rank
// to the sample before, and the span of its possible ranks.
type sample struct {
	value    float64
	g, delta int64
}

// quantiles is a summary from which quantiles follow within a relative error of
// rank (Greenwald and Khanna, 2001), with the buffering, merging and query rules
// of Spark's QuantileSummaries, so that it gives the same answers.
type quantiles struct {
	relativeError float64
	count         int64 // values in samples
	samples       []sample
	head          []float64 // values not yet in samples
}

const (
	quantileHead     = 50_000 // values to buffer
	quantileCompress = 10_000 // samples from which to compress
)

func (q *quantiles) insert(v float64) {
	q.head = append(q.head, v)
	if len(q.head) >= quantileHead {
		q.absorb()
		if len(q.samples) >= quantileCompress {
			q.squeeze()
		}
	}
}

// absorb moves the buffered values into samples.
func (q *quantiles) absorb() {
	if len(q.head) == 0 {
		return
	}
	// Java sorts -0.0 below 0.0 and NaN last.
	slices.SortFunc(q.head, func(a, b float64) int {
		if c := compareFloat(a, b); c != 0 {
			return c
		}
		return int(b2i(math.Signbit(b))) - int(b2i(math.Signbit(a)))
	})
	out := make([]sample, 0, len(q.samples)+len(q.head))
	next := 0
	for i, v := range q.head {
		for next < len(q.samples) && q.samples[next].value <= v {
			out = append(out, q.samples[next])
			next++
		}
		q.count++
		delta := int64(0)
		if len(out) > 0 && !(next == len(q.samples) && i == len(q.head)-1) {
			delta = int64(math.Floor(2 * q.relativeError * float64(q.count)))
		}
		out = append(out, sample{v, 1, delta})
	}
	q.samples = append(out, q.samples[next:]...)
	q.head = q.head[:0]
}

func b2i(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// squeeze merges neighbours where the error allows it.
func (q *quantiles) squeeze() {
	q.samples = squeezed(q.samples, 2*q.relativeError*float64(q.count))
}

func squeezed(in []sample, threshold float64) []sample {
	if len(in) == 0 {
		return nil
	}
	var out []sample // from the greatest down
	head := in[len(in)-1]
	for i := len(in) - 2; i >= 1; i-- {
		if float64(in[i].g+head.g+head.delta) < threshold {
			head.g += in[i].g
			continue
		}
		out = append(out, head)
		head = in[i]
	}
	out = append(out, head)
	if len(in) > 1 && in[0].value <= head.value {
		out = append(out, in[0])
	}
	slices.Reverse(out)
	return out
}

// compress brings everything into compressed samples.
func (q *quantiles) compress() {
	q.absorb()
	q.squeeze()
}

// merge folds another compressed summary into this one, which gets compressed.
func (q *quantiles) merge(o *quantiles) {
	q.compress()
	switch {
	case o.count == 0:
		return
	case q.count == 0:
		q.count, q.samples = o.count, slices.Clone(o.samples)
		return
	}
	selfDelta := int64(math.Floor(2 * o.relativeError * float64(o.count)))
	otherDelta := int64(math.Floor(2 * q.relativeError * float64(q.count)))
	out := make([]sample, 0, len(q.samples)+len(o.samples))
	i, j := 0, 0
	for i < len(q.samples) && j < len(o.samples) {
		if s := q.samples[i]; s.value < o.samples[j].value {
			if j > 0 {
				s.delta += selfDelta
			}
			out = append(out, s)
			i++
			continue
		}
		s := o.samples[j]
		if i > 0 {
			s.delta += otherDelta
		}
		out = append(out, s)
		j++
	}
	out = append(append(out, q.samples[i:]...), o.samples[j:]...)
	q.relativeError = max(q.relativeError, o.relativeError)
	q.count += o.count
	q.samples = squeezed(out, 2*q.relativeError*float64(q.count))
}

// query is the quantiles of fractions; the summary is compressed and not empty.
func (q *quantiles) query(fractions []float64) []float64 {
	most := int64(math.MinInt64)
	for _, s := range q.samples {
		most = max(most, s.delta+s.g)
	}
	target := float64(most) / 2
	order := make([]int, len(fractions))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return fractions[order[a]] < fractions[order[b]] })
	out := make([]float64, len(fractions))
	at, minRank, last := 0, q.samples[0].g, len(q.samples)-1
	for _, k := range order {
		f := fractions[k]
		switch {
		case f <= q.relativeError || last == 0:
			out[k] = q.samples[0].value
			continue
		case f >= 1-q.relativeError:
			out[k] = q.samples[last].value
			continue
		}
		rank := math.Ceil(f * float64(q.count))
		for ; at < last; at++ {
			s := q.samples[at]
			if float64(minRank+s.delta)-target <= rank && rank <= float64(minRank)+target {
				break
			}
			minRank += q.samples[at+1].g
		}
		if at == last {
			minRank = 0
		}
		out[k] = q.samples[at].value
	}
	return out
}

var errQuantiles = errors.New("agg: malformed quantile summary")

// appendTo encodes a compressed summary: count, then value, g and delta of each
// sample, 8 bytes little endian each.
func (q *quantiles) appendTo(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(q.count))
	for _, s := range q.samples {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(s.value))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(s.g))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(s.delta))
	}
	return dst
}

// parseQuantiles decodes what appendTo made.
func parseQuantiles(p []byte, relativeError float64) (*quantiles, error) {
	if len(p) < 8 || len(p)%24 != 8 {
		return nil, errQuantiles
	}
	q := &quantiles{relativeError: relativeError, count: int64(binary.LittleEndian.Uint64(p))}
	for p = p[8:]; len(p) > 0; p = p[24:] {
		q.samples = append(q.samples, sample{
			math.Float64frombits(binary.LittleEndian.Uint64(p)),
			int64(binary.LittleEndian.Uint64(p[8:])), int64(binary.LittleEndian.Uint64(p[16:])),
		})
	}
	if q.count > 0 && len(q.samples) == 0 {
		return nil, errQuantiles
	}
	return q, nil
}
