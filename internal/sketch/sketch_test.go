package sketch_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/rand"
	"strconv"
	"testing"

	"github.com/vstream/vstream/internal/sketch"
)

func hll(lgK int, from, to int64) *sketch.HLL {
	s := sketch.NewHLL(lgK)
	for v := from; v < to; v++ {
		s.Add(sketch.Coupon(sketch.HashLong(v)))
	}
	return s
}

// The bytes are those of Spark's hll_union(hll_sketch_agg(id, 4), hll_sketch_agg(id + 100, 4)) FROM range(100).
func TestHLLUnionBytes(t *testing.T) {
	u := sketch.NewHLLUnion(4)
	u.Add(hll(4, 0, 100), false)
	u.Add(hll(4, 100, 200), false)
	const want = "0A0107040010020A0000000000000000000000000000F13F0000000000000000010000000000000004020407050404060404050304030705"
	if got := hex.EncodeToString(u.AppendTo(nil)); !bytes.EqualFold([]byte(got), []byte(want)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestHLLEstimates(t *testing.T) {
	for lgK := sketch.MinLgK; lgK <= 14; lgK++ {
		for _, n := range []int64{0, 1, 7, 8, 30, 400, 5000, 60000} {
			s := hll(lgK, 0, n)
			u := sketch.NewHLLUnion(lgK)
			u.Add(hll(lgK, 0, n/2), false)
			u.Add(hll(lgK, n/3, n), true)
			for name, e := range map[string]float64{"one sketch": s.Estimate(), "a union": u.Result().Estimate()} {
				if limit := 5 * 1.04 / math.Sqrt(float64(int(1)<<lgK)) * float64(n); math.Abs(e-float64(n)) > limit+0.01 {
					t.Errorf("2^%d registers, %d values: %s estimates %g", lgK, n, name, e)
				}
			}
		}
	}
}

func TestHLLRoundTrip(t *testing.T) {
	for _, n := range []int64{0, 5, 7, 50, 300, 500, 5000} {
		s := hll(12, 0, n)
		p := s.AppendTo(nil)
		back, err := sketch.ParseHLL(p)
		if err != nil {
			t.Fatalf("%d values: %v", n, err)
		}
		if got := back.AppendTo(nil); !bytes.Equal(got, p) || back.Estimate() != s.Estimate() {
			t.Errorf("%d values: the sketch changes", n)
		}
	}
}

func FuzzParseHLL(f *testing.F) {
	for _, n := range []int64{0, 5, 50, 5000} {
		f.Add(hll(8, 0, n).AppendTo(nil))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		s, err := sketch.ParseHLL(p)
		if err != nil {
			return
		}
		u := sketch.NewHLLUnion(8)
		u.Add(s, true)
		u.Add(hll(8, 0, 1000), false)
		u.Add(s, false)
		u.Result().Estimate()
		s.Estimate()
	})
}

func items(lgMax int, keys ...string) *sketch.Items {
	s := sketch.NewItems(sketch.ItemCodec{Kind: sketch.ItemString}, lgMax)
	for _, k := range keys {
		s.Add([]byte(k), 1)
	}
	return s
}

// Every item that is more frequent than the error is found, with a count that is
// at most the error too high.
func TestItemsAgainstCounts(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for range 20 {
		s, counts := items(4), map[string]int64{}
		for range 2000 {
			k := strconv.Itoa(int(math.Sqrt(float64(rnd.Intn(900)))))
			counts[k]++
			s.Add([]byte(k), 1)
		}
		exact := sketch.NewItems(sketch.ItemCodec{Kind: sketch.ItemString}, 10)
		exact.Merge(s)
		for _, it := range s.Frequent() {
			if n := counts[string(it.Key)]; it.Count < n || it.Count-n > 2000/4 {
				t.Fatalf("%s: %d, in truth %d", it.Key, it.Count, n)
			}
		}
	}
}

func TestItemsKeepTheirLayout(t *testing.T) {
	for n := range 40 {
		s := items(6)
		for i := range n {
			s.Add([]byte("item "+strconv.Itoa(i*7919)), int64(i%3+1))
		}
		p := s.AppendExact(nil)
		back, err := sketch.ParseItems(sketch.ItemCodec{Kind: sketch.ItemString}, p)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back.AppendTo(nil), s.AppendTo(nil)) || !bytes.Equal(back.AppendExact(nil), p) {
			t.Errorf("%d items lie elsewhere", n)
		}
	}
}

func FuzzParseItems(f *testing.F) {
	f.Add(items(4, "a", "b", "b").AppendTo(nil), byte(sketch.ItemString))
	f.Add(items(4).AppendTo(nil), byte(sketch.ItemLong))
	f.Fuzz(func(t *testing.T, p []byte, kind byte) {
		if len(p) > 5 && (p[3] > 12 || p[4] > 12) {
			return // a table of that size is not worth making
		}
		codec := sketch.ItemCodec{Kind: sketch.ItemKind(kind) % (sketch.ItemDecimalBig + 1), Scale: 2}
		s, err := sketch.ParseItems(codec, p)
		if err != nil {
			return
		}
		again := sketch.NewItems(codec, 5)
		again.Merge(s)
		again.Merge(s)
		again.Frequent()
	})
}

func TestCountMin(t *testing.T) {
	shape := sketch.NewCountMinShape(0.5, 0.5, 1)
	a, b := sketch.NewCountMin(shape), sketch.NewCountMin(shape)
	a.AddLong(1)
	b.AddLong(2)
	b.AddLong(1)
	a.Merge(b)
	// Spark's count_min_sketch(x, 0.5D, 0.5D, 1) of 1, 2, 1.
	const want = "0000000100000000000000030000000100000004000000005d8d6ab90000000000000000000000000000000200000000000000010000000000000000"
	p := a.AppendTo(nil)
	if got := hex.EncodeToString(p); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if back, err := sketch.ParseCountMin(shape, p); err != nil || !bytes.Equal(back.AppendTo(nil), p) {
		t.Errorf("the sketch changes: %v", err)
	}
	if _, err := sketch.ParseCountMin(sketch.NewCountMinShape(0.5, 0.5, 2), p); err == nil {
		t.Error("a sketch of another seed is taken")
	}
}
