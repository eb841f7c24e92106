// Package faulty is a store for tests that fails, tears, delays, reorders and stops another one by rule.
package faulty

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vstream/vstream/objstore"
)

// ErrCrashed is what every call returns from the crash on.
var ErrCrashed = errors.New("faulty: crashed")

// Op is a call of a Store.
type Op string

// The calls of a Store.
const (
	CreateExclusive Op = "CreateExclusive"
	Put             Op = "Put"
	Get             Op = "Get"
	Open            Op = "Open"
	List            Op = "List"
	Delete          Op = "Delete"
)

// Writes are the calls that change something.
var Writes = []Op{CreateExclusive, Put, Delete}

// Call is one call, as rules see it and Calls lists it. N counts the calls from 1.
type Call struct {
	N    int
	Op   Op
	Name string
}

// Fault is what a rule does to a call. The zero Fault does nothing.
type Fault struct {
	Err   error         // returned instead of the result
	Done  bool          // the call takes effect before Err is returned
	Torn  bool          // a write leaves half its bytes, as on a disk that lies about sync
	Delay time.Duration // before the call
	Lost  bool          // without effect if the crash comes during the delay; else it has its effect after it
	Crash bool          // this call and all later ones return ErrCrashed
}

// Rule decides about a call.
type Rule func(Call) Fault

// Nth hits the n-th call, counted from 1, among the ops (all calls if there are none).
func Nth(n int, f Fault, ops ...Op) Rule {
	count := 0
	return func(c Call) Fault {
		if len(ops) > 0 && !slices.Contains(ops, c.Op) {
			return Fault{}
		}
		if count++; count != n {
			return Fault{}
		}
		return f
	}
}

// Named hits the calls among the ops (all if there are none) whose name contains part.
func Named(part string, f Fault, ops ...Op) Rule {
	return func(c Call) Fault {
		if !strings.Contains(c.Name, part) || len(ops) > 0 && !slices.Contains(ops, c.Op) {
			return Fault{}
		}
		return f
	}
}

// Scatter delays each write by up to most, so that of writes at the same time any may be the first to
// take effect, or, when a crash comes, the only one.
func Scatter(seed uint64, most time.Duration) Rule {
	random := rand.New(rand.NewPCG(seed, seed))
	return func(c Call) Fault {
		if !slices.Contains(Writes, c.Op) {
			return Fault{}
		}
		return Fault{Delay: time.Duration(random.Int64N(int64(most))) + 1, Lost: random.IntN(2) == 0}
	}
}

// Store passes calls on to another store unless a rule says otherwise.
type Store struct {
	inner objstore.Store

	mu      sync.Mutex
	rules   []Rule
	calls   []Call
	crashed bool
}

// New decorates inner. The first rule that gives a fault decides.
func New(inner objstore.Store, rules ...Rule) *Store { return &Store{inner: inner, rules: rules} }

// Calls are the calls so far.
func (s *Store) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *Store) begin(op Op, name string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Call{len(s.calls) + 1, op, name}
	s.calls = append(s.calls, c)
	if s.crashed {
		return Fault{Err: ErrCrashed}
	}
	for _, r := range s.rules {
		f := r(c)
		if f == (Fault{}) {
			continue
		}
		if f.Crash {
			s.crashed, f.Err = true, ErrCrashed
		}
		return f
	}
	return Fault{}
}

// run does one call under its fault; data is what a write writes.
func (s *Store) run(op Op, name string, data []byte, do func(data []byte) error) error {
	f := s.begin(op, name)
	if f.Delay > 0 {
		time.Sleep(f.Delay)
		s.mu.Lock()
		crashed := s.crashed
		s.mu.Unlock()
		if crashed && f.Lost {
			return ErrCrashed
		}
	}
	if f.Torn {
		data = data[:len(data)/2]
	}
	if f.Err != nil && !f.Done && !f.Torn {
		return f.Err
	}
	if err := do(data); err != nil {
		return err
	}
	return f.Err
}

// CreateExclusive passes the call on.
func (s *Store) CreateExclusive(ctx context.Context, name string, data []byte) error {
	return s.run(CreateExclusive, name, data, func(d []byte) error { return s.inner.CreateExclusive(ctx, name, d) })
}

// Put passes the call on.
func (s *Store) Put(ctx context.Context, name string, data []byte) error {
	return s.run(Put, name, data, func(d []byte) error { return s.inner.Put(ctx, name, d) })
}

// Get passes the call on.
func (s *Store) Get(ctx context.Context, name string) (data []byte, err error) {
	err = s.run(Get, name, nil, func([]byte) (err error) {
		data, err = s.inner.Get(ctx, name)
		return err
	})
	return data, err
}

// Open passes the call on.
func (s *Store) Open(ctx context.Context, name string) (r io.ReadCloser, err error) {
	err = s.run(Open, name, nil, func([]byte) (err error) {
		r, err = s.inner.Open(ctx, name)
		return err
	})
	return r, err
}

// List passes the call on.
func (s *Store) List(ctx context.Context, prefix string) (infos []objstore.Info, err error) {
	err = s.run(List, prefix, nil, func([]byte) (err error) {
		infos, err = s.inner.List(ctx, prefix)
		return err
	})
	return infos, err
}

// Delete passes the call on.
func (s *Store) Delete(ctx context.Context, name string) error {
	return s.run(Delete, name, nil, func([]byte) error { return s.inner.Delete(ctx, name) })
}

// URL is the inner store's.
func (s *Store) URL(name string) string { return s.inner.URL(name) }

// Lock is the inner store's; no rule applies.
func (s *Store) Lock(ctx context.Context, name string) (func() error, error) {
	return objstore.Lock(ctx, s.inner, name)
}
