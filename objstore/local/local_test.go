package local_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/objstore/local"
	"github.com/vstream/vstream/objstore/storetest"
)

func open(t *testing.T, dir string) objstore.Store {
	t.Helper()
	s, err := objstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) objstore.Store { return open(t, filepath.Join(t.TempDir(), "not", "yet")) })
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	for _, at := range []string{dir, "file://" + dir, "file:" + dir, "FILE://localhost" + dir} {
		if got := open(t, at).URL("a b"); got != "file://"+dir+"/a%20b" {
			t.Errorf("Open(%q): URL %q", at, got)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]condition.Name{
		file:               "VSTREAM_IO",
		"":                 "VSTREAM_INVALID_OPTION",
		"file://host/a":    "VSTREAM_INVALID_OPTION",
		"nosuch://bucket/": "VSTREAM_UNKNOWN_SCHEME",
		"nosuch://%zz":     "VSTREAM_IO",
	} {
		if _, err := objstore.Open(context.Background(), at); !errors.Is(err, want) {
			t.Errorf("Open(%q): %v, want %s", at, err, want)
		}
	}
}

func TestLeftOverTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, ".vstream-tmp-OLD"), filepath.Join(dir, ".vstream-tmp-FRESH")
	for _, f := range []string{old, fresh} {
		if err := os.WriteFile(f, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	day := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(old, day, day); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if infos, err := s.List(context.Background(), ""); err != nil || len(infos) != 0 {
		t.Errorf("List: %v, %v", infos, err)
	}
	if err := s.Put(context.Background(), "x", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Error("the old temporary file is still there")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("another writer's temporary file was removed")
	}
}

func TestNoTemporaryFileStays(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx := context.Background()
	for range 2 {
		_ = s.CreateExclusive(ctx, "a", []byte("x"))
		_ = s.Put(ctx, "b", []byte("x"))
		_ = s.Put(ctx, "a/below-a-file", []byte("x"))
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestHadoopChecksums: a checksum that Spark wrote goes with the file it was made for.
func TestHadoopChecksums(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx := context.Background()
	write := func(names ...string) {
		for _, n := range names {
			if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(".created.crc", "kept", ".kept.crc", "replaced", ".replaced.crc", "deleted", ".deleted.crc")
	if err := s.CreateExclusive(ctx, "kept", nil); !errors.Is(err, objstore.ErrExists) {
		t.Error(err)
	}
	if err := errors.Join(s.CreateExclusive(ctx, "created", nil), s.Put(ctx, "replaced", nil), s.Delete(ctx, "deleted")); err != nil {
		t.Fatal(err)
	}
	infos, err := s.List(ctx, "")
	var names []string
	for _, i := range infos {
		names = append(names, i.Name)
	}
	if got := strings.Join(names, " "); got != ".kept.crc created kept replaced" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func TestPermissionDenied(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Put(context.Background(), "a/x", nil); !errors.Is(err, condition.Name("VSTREAM_PERMISSION_DENIED")) {
		t.Error(err)
	}
}

const racers, raceNames = 2, 200

// TestHelperRace is one of the racing processes of TestProcessRace.
func TestHelperRace(t *testing.T) {
	dir := os.Getenv("VSTREAM_TEST_RACE_DIR")
	if dir == "" {
		t.Skip("not a helper process")
	}
	s := open(t, dir)
	me := os.Getenv("VSTREAM_TEST_RACE_ID")
	for n := range raceNames {
		err := s.CreateExclusive(context.Background(), fmt.Sprint(n), []byte(me))
		if err == nil {
			fmt.Println("won", n)
		} else if !errors.Is(err, objstore.ErrExists) {
			t.Fatal(err)
		}
	}
}

// TestProcessRace lets two processes create the same objects: each is won by exactly one.
func TestProcessRace(t *testing.T) {
	dir := t.TempDir()
	var cmds [racers]*exec.Cmd
	var outs [racers]strings.Builder
	for i := range cmds {
		cmds[i] = exec.Command(os.Args[0], "-test.run=^TestHelperRace$", "-test.v")
		cmds[i].Env = append(os.Environ(), "VSTREAM_TEST_RACE_DIR="+dir, fmt.Sprint("VSTREAM_TEST_RACE_ID=", i))
		cmds[i].Stdout = &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	winner := map[string]int{}
	for i, c := range cmds {
		if err := c.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, outs[i].String())
		}
		for sc := bufio.NewScanner(strings.NewReader(outs[i].String())); sc.Scan(); {
			n, won := strings.CutPrefix(sc.Text(), "won ")
			if _, twice := winner[n]; won && twice {
				t.Errorf("both processes won %s", n)
			}
			if won {
				winner[n] = i
			}
		}
	}
	if len(winner) != raceNames {
		t.Errorf("%d of %d objects were won", len(winner), raceNames)
	}
	for n, i := range winner {
		if data, err := os.ReadFile(filepath.Join(dir, n)); err != nil || string(data) != fmt.Sprint(i) {
			t.Errorf("%s: %q, %v, won by %d", n, data, err, i)
		}
	}
}

// TestHelperLock holds a lock until it is killed.
func TestHelperLock(t *testing.T) {
	dir := os.Getenv("VSTREAM_TEST_LOCK_DIR")
	if dir == "" {
		t.Skip("not a helper process")
	}
	if _, err := objstore.Lock(context.Background(), open(t, dir), "lock"); err != nil {
		t.Fatal(err)
	}
	fmt.Println("locked")
	select {}
}

// TestLockEndsWithItsProcess kills the holder of a lock.
func TestLockEndsWithItsProcess(t *testing.T) {
	dir := t.TempDir()
	c := exec.Command(os.Args[0], "-test.run=^TestHelperLock$", "-test.v")
	c.Env = append(os.Environ(), "VSTREAM_TEST_LOCK_DIR="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(out)
	for sc.Scan() && sc.Text() != "locked" {
	}
	s := open(t, dir)
	var locked *objstore.LockedError
	if _, err := objstore.Lock(context.Background(), s, "lock"); !errors.As(err, &locked) ||
		!strings.Contains(locked.Holder, fmt.Sprintf("process %d on ", c.Process.Pid)) {
		t.Errorf("while the holder runs: %v", err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	release, err := objstore.Lock(context.Background(), s, "lock")
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

var _ objstore.Locker = (*local.Store)(nil)
