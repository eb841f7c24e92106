package runner

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// KnownFile is the name of the list of known failures.
const KnownFile = "known_failures.txt"

// Known is a list of known failures: lines "area/name  reason". A name may be a
// glob, area/*; # starts a comment.
type Known struct {
	File    string
	lines   []string
	entries []knownEntry
}

type knownEntry struct {
	pattern, reason string
	line            int
}

// FindKnown reads the list beside a file, or in a directory, or in the nearest one
// above; an empty list if there is none.
func FindKnown(at string) (*Known, error) {
	dir, err := filepath.Abs(at)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	for {
		k, err := ReadKnown(filepath.Join(dir, KnownFile))
		if !errors.Is(err, fs.ErrNotExist) {
			return k, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return &Known{}, nil
		}
		dir = parent
	}
}

// ReadKnown reads a list of known failures.
func ReadKnown(file string) (*Known, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	k := &Known{File: file}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		k.lines = append(k.lines, lines.Text())
		text, _, _ := strings.Cut(lines.Text(), "#")
		pattern, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
		if pattern == "" {
			continue
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		k.entries = append(k.entries, knownEntry{pattern, strings.TrimSpace(reason), n})
	}
	return k, lines.Err()
}

// Apply marks the known failures among the results and lists the entries that no
// failure bears out any more. Entries for scenarios that were not run are left alone.
func (k *Known) Apply(results []Result) (stale []string) {
	for _, e := range k.entries {
		ran, failed := false, false
		for i := range results {
			r := &results[i]
			if ok, _ := path.Match(e.pattern, r.Name); !ok {
				continue
			}
			ran = true
			if r.Status == Failed {
				failed = true
				if r.Known == "" {
					r.Known = e.reason
				}
			}
		}
		if ran && !failed {
			stale = append(stale, fmt.Sprintf("%s:%d: %s passes: take it off the list", k.File, e.line, e.pattern))
		}
	}
	return stale
}
