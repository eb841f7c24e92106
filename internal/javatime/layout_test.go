package javatime

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestLayout prints the times of many years by the layout of a pattern and part by part.
func TestLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, source := range []string{"yyyy-MM-dd HH:mm:ss.SSSSSS", "yyyy/MM/dd", "yy-MM-dd'T'kk:mm", "hh:mm:ss.SSS", "KK", "'at' HH'h'"} {
		p, err := Compile(source, false)
		if err != nil {
			t.Fatal(err)
		}
		if p.layout == nil {
			t.Errorf("%s has no layout", source)
		}
		parts := &Pattern{ops: p.ops}
		for range 10_000 {
			micros := r.Int64N(1<<60) - 1<<59
			if got, want := string(p.Append(nil, micros, time.UTC)), string(parts.Append(nil, micros, time.UTC)); got != want {
				t.Fatalf("%s of %d is %s, want %s", source, micros, got, want)
			}
		}
	}
	for _, source := range []string{"y", "yyyy-M-d", "D", "MMM", "E", "SSSS", "yyyy[ HH]", "XXX"} {
		if p, err := Compile(source, false); err != nil || p.layout != nil {
			t.Errorf("%s has a layout: %v", source, err)
		}
	}
}
