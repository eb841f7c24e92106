package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/vstream/vstream/format/parquet"
)

// workload is a job file.
type workload struct {
	name    string
	streams []string // its streams, which are folders of the data
	// ignored columns of the result depend on the order of the rows: ties are
	// broken by it.
	ignored []string
}

var (
	ofBids     = []string{"bids"}
	ofAuctions = []string{"auctions", "persons"}
)

// suite is everything in jobs, in the order in which it runs.
var suite = []workload{
	{name: "q0", streams: ofBids},
	{name: "q1", streams: ofBids},
	{name: "q2", streams: ofBids},
	{name: "q3", streams: ofAuctions},
	{name: "q4", streams: ofBids},
	{name: "q5", streams: ofBids, ignored: []string{"auction"}},
	{name: "q7", streams: ofBids},
	{name: "q8", streams: ofAuctions},
	{name: "q11", streams: ofBids},
	{name: "q12", streams: ofBids},
	{name: "dedup", streams: ofBids},
	{name: "join_ba", streams: []string{"bids", "auctions"}},
	{name: "ysb", streams: []string{"ysb"}},
	{name: "gb_k1m", streams: ofBids},
	{name: "gb_k5m", streams: ofBids},
}

// choose finds workloads by name; none means all.
func choose(names []string) ([]workload, error) {
	if len(names) == 0 {
		return suite, nil
	}
	byName := map[string]workload{}
	for _, w := range suite {
		byName[w.name] = w
	}
	var out []workload
	for _, n := range names {
		w, ok := byName[n]
		if !ok {
			return nil, fmt.Errorf("there is no workload %s", n)
		}
		out = append(out, w)
	}
	return out, nil
}

// events counts the rows of the workload's streams.
func (w workload) events(data string) (n int64, err error) {
	for _, s := range w.streams {
		m, err := rowsIn(filepath.Join(data, s))
		if err != nil {
			return 0, err
		}
		n += m
	}
	return n, nil
}

// rowsIn counts the rows of the Parquet files and the lines of the JSON files of a directory.
func rowsIn(dir string) (n int64, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return 0, err
	}
	for _, path := range files {
		m, err := rowsOf(path)
		if err != nil {
			return 0, err
		}
		n += m
	}
	return n, nil
}

func rowsOf(path string) (int64, error) {
	in, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	switch filepath.Ext(path) {
	case ".parquet":
		f, err := parquet.Open(in, path)
		if err != nil {
			return 0, err
		}
		return f.NumRows(), nil
	case ".json":
		return lines(in)
	}
	return 0, nil
}

func lines(in io.Reader) (n int64, err error) {
	buf := make([]byte, 1<<20)
	for {
		m, err := in.Read(buf)
		n += int64(bytes.Count(buf[:m], []byte{'\n'}))
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
