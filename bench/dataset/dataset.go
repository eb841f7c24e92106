// Package dataset writes generated data as folders of files, the same for the same
// seed, and knows whether they are there already.
package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
)

// Options say how much is generated. Defaults stand for zero values.
type Options struct {
	Dir     string // gets a folder per table
	Events  int64  // in total; rounded up to a whole number of cycles; default 10 million
	PerFile int64  // events per file of each folder; rounded likewise; default 500,000
	Seed    uint64
	Workers int // files generated side by side; default 1
}

// Model makes events numbered from zero.
type Model struct {
	Name   string // with a version; names the file that says what is there, too
	Cycle  int64  // events that a file must not cut
	Tables []Table
}

// Table is a folder of files.
type Table struct {
	Name, Ext string
	OneFile   bool // the first file's events stand for all: a table that does not grow
	// Write writes the rows among the events from first up to end, which make up a file.
	Write func(ctx context.Context, w io.Writer, r *rand.Rand, first, end int64) error
}

func (m Model) normal(o Options) Options {
	if o.Events <= 0 {
		o.Events = 10_000_000
	}
	if o.PerFile <= 0 {
		o.PerFile = 500_000
	}
	up := func(n int64) int64 { return (n + m.Cycle - 1) / m.Cycle * m.Cycle }
	o.Events, o.PerFile = up(o.Events), up(o.PerFile)
	o.Workers = max(o.Workers, 1)
	return o
}

// meta is what the data depends on, kept beside it in the file at path.
func (m Model) meta(o Options) (path string, text []byte) {
	b, err := json.Marshal(map[string]any{"model": m.Name, "events": o.Events, "perFile": o.PerFile, "seed": o.Seed})
	if err != nil {
		panic(err) // numbers and strings only
	}
	return filepath.Join(o.Dir, filepath.Dir(m.Name)+".json"), append(b, '\n')
}

// Exists tells whether the directory holds the data of these options already.
func (m Model) Exists(o Options) bool {
	path, text := m.meta(m.normal(o))
	b, err := os.ReadFile(path)
	return err == nil && bytes.Equal(b, text)
}

// Generate writes the files, replacing those of the same names.
func (m Model) Generate(ctx context.Context, o Options) error {
	o = m.normal(o)
	path, text := m.meta(o)
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, t := range m.Tables {
		if err := os.RemoveAll(filepath.Join(o.Dir, t.Name)); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(o.Dir, t.Name), 0o755); err != nil {
			return err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Workers)
	for i := int64(0); i*o.PerFile < o.Events; i++ {
		for stream, t := range m.Tables {
			if t.OneFile && i > 0 {
				continue
			}
			g.Go(func() error { return t.file(ctx, o, uint64(stream), i) })
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// file writes file i of a table. Its modification time rises with i, so that a
// file source takes the files in order.
func (t Table) file(ctx context.Context, o Options, stream uint64, i int64) (err error) {
	path := filepath.Join(o.Dir, t.Name, fmt.Sprintf("part-%04d.%s", i, t.Ext))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if at := time.Unix(1_767_225_600+i, 0); err == nil {
			err = os.Chtimes(path, at, at)
		}
	}()
	r := rand.New(rand.NewPCG(o.Seed, stream<<32|uint64(i)))
	return t.Write(ctx, f, r, i*o.PerFile, min((i+1)*o.PerFile, o.Events))
}
