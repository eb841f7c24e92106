package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/format/manifest"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/objstore/local"
	"github.com/vstream/vstream/vector"
)

// result is a query's output without regard to order: rows, and the sum of their hashes.
type result struct {
	rows int64
	sum  uint64
}

var seed = maphash.MakeSeed()

// resultOf reads an output directory of Parquet files, without the ignored columns:
// the files in its log, if it has one. A directory that does not exist or is empty
// gives the zero result.
func resultOf(ctx context.Context, dir string, ignored []string) (r result, err error) {
	files, err := visible(ctx, dir)
	if err != nil {
		return r, err
	}
	for _, f := range files {
		if err := r.add(ctx, f, ignored); err != nil {
			return r, fmt.Errorf("%s: %w", f, err)
		}
	}
	return r, nil
}

func visible(ctx context.Context, dir string) ([]string, error) {
	s, err := local.Open(dir)
	if err != nil {
		return nil, err
	}
	listed, ok, err := manifest.Read(ctx, s)
	if err != nil {
		return nil, err
	}
	if !ok {
		return filepath.Glob(filepath.Join(dir, "*.parquet"))
	}
	var out []string
	for _, f := range listed {
		name, err := f.Name(s)
		if err != nil {
			return nil, err
		}
		out = append(out, filepath.Join(dir, name))
	}
	return out, nil
}

// add adds the rows of a file, each hashed as a line of JSON.
func (r *result) add(ctx context.Context, path string, ignored []string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := parquet.Open(in, path)
	if err != nil {
		return err
	}
	s, err := f.Schema()
	if err != nil {
		return err
	}
	s = vector.NewSchema(slices.DeleteFunc(slices.Clone(s.Fields), func(f vector.Field) bool { return slices.Contains(ignored, f.Name) })...)
	var lines bytes.Buffer
	w, err := json.NewLineWriter(&lines, s, json.WriteOptions{})
	if err != nil {
		return err
	}
	return f.Read(ctx, in, s, 0, f.RowGroups(), func(cols []arrow.Array, n int) error {
		lines.Reset()
		if err := w.Write(vector.NewBatch(s, cols, n)); err != nil {
			return err
		}
		for line := range bytes.Lines(lines.Bytes()) {
			r.rows++
			r.sum += maphash.Bytes(seed, line)
		}
		return nil
	})
}
