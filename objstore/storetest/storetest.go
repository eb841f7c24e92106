// Package storetest is the test suite that every objstore.Store must pass.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/vstream/vstream/objstore"
)

// Run tests the stores that open makes; each one must be empty.
func Run(t *testing.T, open func(t *testing.T) objstore.Store) {
	for name, test := range map[string]func(*testing.T, objstore.Store){
		"CreateExclusive": testCreateExclusive,
		"Put":             testPut,
		"Missing":         testMissing,
		"List":            testList,
		"Names":           testNames,
		"Sub":             testSub,
		"Race":            testRace,
		"Aliasing":        testAliasing,
		"Cancelled":       testCancelled,
		"Lock":            testLock,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func testCreateExclusive(t *testing.T, s objstore.Store) {
	ctx := context.Background()
	must(t, s.CreateExclusive(ctx, "offsets/0", []byte("first")))
	if err := s.CreateExclusive(ctx, "offsets/0", []byte("second")); !errors.Is(err, objstore.ErrExists) {
		t.Errorf("second create: %v", err)
	}
	wantObject(t, s, "offsets/0", "first")
	must(t, s.Delete(ctx, "offsets/0"))
	must(t, s.CreateExclusive(ctx, "offsets/0", nil))
	wantObject(t, s, "offsets/0", "")
}

func testPut(t *testing.T, s objstore.Store) {
	ctx := context.Background()
	for _, content := range []string{"one", "", strings.Repeat("long", 1<<18)} {
		must(t, s.Put(ctx, "a/b/c", []byte(content)))
		wantObject(t, s, "a/b/c", content)
	}
	if err := s.CreateExclusive(ctx, "a/b/c", nil); !errors.Is(err, objstore.ErrExists) {
		t.Errorf("create over put: %v", err)
	}
}

func testMissing(t *testing.T, s objstore.Store) {
	ctx := context.Background()
	must(t, s.Put(ctx, "dir/file", nil))
	for _, name := range []string{"x", "x/y", "dir", "dir/other"} {
		if _, err := s.Get(ctx, name); !errors.Is(err, objstore.ErrNotFound) {
			t.Errorf("Get(%s): %v", name, err)
		}
		if _, err := s.Open(ctx, name); !errors.Is(err, objstore.ErrNotFound) {
			t.Errorf("Open(%s): %v", name, err)
		}
	}
	must(t, s.Delete(ctx, "x/y"))
}

func testList(t *testing.T, s objstore.Store) {
	ctx := context.Background()
	for _, n := range []string{"b", "a/2", "a/10", "a/b/c", "ab", "a.x"} {
		must(t, s.Put(ctx, n, []byte(n)))
	}
	for prefix, want := range map[string]string{
		"":      "a.x a/10 a/2 a/b/c ab b",
		"a":     "a.x a/10 a/2 a/b/c ab",
		"a/":    "a/10 a/2 a/b/c",
		"a/1":   "a/10",
		"a/b/":  "a/b/c",
		"a/b/d": "",
		"zz/":   "",
	} {
		infos, err := s.List(ctx, prefix)
		must(t, err)
		var names []string
		for _, i := range infos {
			names = append(names, i.Name)
			if i.Size != int64(len(i.Name)) || i.Modified.IsZero() {
				t.Errorf("List(%q): bad info %+v", prefix, i)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("List(%q) = %q, want %q", prefix, got, want)
		}
	}
}

func testNames(t *testing.T, s objstore.Store) {
	ctx := context.Background()
	for _, n := range []string{"", ".", "..", "../x", "a/../b", "a//b", "/a", "a/"} {
		if err := s.Put(ctx, n, nil); !errors.Is(err, objstore.ErrName) {
			t.Errorf("Put(%q): %v", n, err)
		}
		if _, err := s.Get(ctx, n); !errors.Is(err, objstore.ErrName) {
			t.Errorf("Get(%q): %v", n, err)
		}
		if err := s.Delete(ctx, n); !errors.Is(err, objstore.ErrName) {
			t.Errorf("Delete(%q): %v", n, err)
		}
	}
	for _, n := range []string{"day=2024-01-01/part 1.json", "ä", "a:b", "%41"} {
		must(t, s.Put(ctx, n, []byte(n)))
		wantObject(t, s, n, n)
	}
}

func testSub(t *testing.T, s objstore.Store) {
	ctx := context.Background()
	sub := objstore.Sub(s, "state")
	must(t, sub.CreateExclusive(ctx, "0/x", []byte("x")))
	must(t, s.Put(ctx, "statement", nil))
	wantObject(t, s, "state/0/x", "x")
	infos, err := sub.List(ctx, "")
	must(t, err)
	if len(infos) != 1 || infos[0].Name != "0/x" {
		t.Errorf("List: %v", infos)
	}
	if sub.URL("0/x") != s.URL("state/0/x") {
		t.Errorf("URL: %s", sub.URL("0/x"))
	}
}

// testRace lets writers race for the same names: one wins each, and its data stays.
func testRace(t *testing.T, s objstore.Store) {
	ctx := context.Background()
	const writers, names = 8, 20
	var wins [names]atomic.Int64
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range names {
				data := bytes.Repeat([]byte{byte('a' + w)}, 5000)
				switch err := s.CreateExclusive(ctx, fmt.Sprint("race/", n), data); {
				case err == nil:
					if !wins[n].CompareAndSwap(0, int64(w)+1) {
						t.Errorf("two writers won %d", n)
					}
				case !errors.Is(err, objstore.ErrExists):
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for n := range names {
		w := wins[n].Load() - 1
		wantObject(t, s, fmt.Sprint("race/", n), strings.Repeat(string(rune('a'+w)), 5000))
	}
}

// testAliasing holds that a store keeps and gives its own bytes.
func testAliasing(t *testing.T, s objstore.Store) {
	ctx := context.Background()
	data := []byte("abc")
	must(t, s.Put(ctx, "x", data))
	data[0] = 'X'
	got, err := s.Get(ctx, "x")
	must(t, err)
	got[1] = 'X'
	wantObject(t, s, "x", "abc")
}

func testCancelled(t *testing.T, s objstore.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.CreateExclusive(ctx, "x", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("CreateExclusive: %v", err)
	}
	if _, err := s.Get(context.Background(), "x"); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
}

func testLock(t *testing.T, s objstore.Store) {
	l, ok := s.(objstore.Locker)
	if !ok {
		t.Skip("no locks")
	}
	ctx := context.Background()
	release, err := l.Lock(ctx, "a/lock")
	must(t, err)
	var locked *objstore.LockedError
	if _, err := l.Lock(ctx, "a/lock"); !errors.As(err, &locked) || locked.Holder == "" {
		t.Errorf("second lock: %v", err)
	}
	other, err := objstore.Lock(ctx, objstore.Sub(s, "b"), "lock")
	must(t, err)
	must(t, other())
	must(t, release())
	release, err = l.Lock(ctx, "a/lock")
	must(t, err)
	must(t, release())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantObject(t *testing.T, s objstore.Store, name, want string) {
	t.Helper()
	data, err := s.Get(context.Background(), name)
	must(t, err)
	r, err := s.Open(context.Background(), name)
	must(t, err)
	streamed, err := io.ReadAll(r)
	must(t, err)
	must(t, r.Close())
	if string(data) != want || string(streamed) != want {
		t.Errorf("%s: got %d bytes and %d streamed, want %d", name, len(data), len(streamed), len(want))
	}
}
