package faulty_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/faulty"
	"github.com/vstream/vstream/objstore/mem"
	"github.com/vstream/vstream/objstore/storetest"
)

func TestStoreWithoutRules(t *testing.T) {
	storetest.Run(t, func(t *testing.T) objstore.Store { return faulty.New(mem.New()) })
}

// TestScatter: of three writes at the same time some come late, and a crash in between lets each
// of them take effect or not.
func TestScatter(t *testing.T) {
	ctx := context.Background()
	left := map[string]bool{}
	for seed := range uint64(60) {
		inner := mem.New()
		s := faulty.New(inner, faulty.Nth(4, faulty.Fault{Crash: true}), faulty.Scatter(seed, time.Millisecond))
		var wg sync.WaitGroup
		for _, name := range []string{"a", "b"} {
			wg.Go(func() { s.Put(ctx, name, nil) })
		}
		for len(s.Calls()) < 2 {
			time.Sleep(10 * time.Microsecond)
		}
		s.Get(ctx, "x")
		s.Get(ctx, "x") // the crash
		wg.Wait()
		infos, err := inner.List(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		names := ""
		for _, i := range infos {
			names += i.Name
		}
		left[names] = true
	}
	if len(left) != 4 {
		t.Errorf("left %v, want nothing, a, b and both", left)
	}
}

func TestFaults(t *testing.T) {
	ctx := context.Background()
	boom := errors.New("boom")
	tests := []struct {
		name  string
		rule  faulty.Rule
		errs  []error // of three CreateExclusive calls: a, b, c
		final string  // a, b, c afterwards; "-" is missing
	}{
		{"nth", faulty.Nth(2, faulty.Fault{Err: boom}, faulty.Writes...), []error{nil, boom, nil}, "abcd - abcd"},
		{"other op", faulty.Nth(2, faulty.Fault{Err: boom}, faulty.Put), []error{nil, nil, nil}, "abcd abcd abcd"},
		{"done", faulty.Nth(2, faulty.Fault{Err: boom, Done: true}), []error{nil, boom, nil}, "abcd abcd abcd"},
		{"torn", faulty.Named("b", faulty.Fault{Torn: true}), []error{nil, nil, nil}, "abcd ab abcd"},
		{"torn and failed", faulty.Named("b", faulty.Fault{Torn: true, Err: boom}), []error{nil, boom, nil}, "abcd ab abcd"},
		{"crash", faulty.Nth(2, faulty.Fault{Crash: true}), []error{nil, faulty.ErrCrashed, faulty.ErrCrashed}, "abcd - -"},
		{"crash after", faulty.Nth(2, faulty.Fault{Crash: true, Done: true}), []error{nil, faulty.ErrCrashed, faulty.ErrCrashed}, "abcd abcd -"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inner := mem.New()
			s := faulty.New(inner, tt.rule)
			for i, name := range []string{"a", "b", "c"} {
				if err := s.CreateExclusive(ctx, name, []byte("abcd")); !errors.Is(err, tt.errs[i]) || (err == nil) != (tt.errs[i] == nil) {
					t.Errorf("%s: %v, want %v", name, err, tt.errs[i])
				}
			}
			var final string
			for _, name := range []string{"a", "b", "c"} {
				data, err := inner.Get(ctx, name)
				if errors.Is(err, objstore.ErrNotFound) {
					data = []byte("-")
				}
				final += " " + string(data)
			}
			if final[1:] != tt.final {
				t.Errorf("left %q, want %q", final[1:], tt.final)
			}
			if calls := s.Calls(); len(calls) != 3 || calls[1] != (faulty.Call{N: 2, Op: faulty.CreateExclusive, Name: "b"}) {
				t.Errorf("calls: %v", calls)
			}
		})
	}
}
