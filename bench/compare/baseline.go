package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
	"time"
)

// baseline is the file of committed figures: how long vstream takes for a workload, as a multiple of
// what calibrate takes on the same machine at the same time.
type baseline struct {
	Events int64              `json:"events"`
	Cores  int                `json:"cores"`
	Units  map[string]float64 `json:"units"`
}

// calibrate is the time of a fixed piece of work on all cores: arithmetic, and reads all over a
// table that does not fit into caches, as a group table's are.
func calibrate(cores int) time.Duration {
	start := time.Now()
	var all sync.WaitGroup
	for c := range cores {
		all.Go(func() {
			table := make([]uint64, 1<<23)
			x := uint64(c) + 1
			for range 1 << 24 {
				x ^= x << 13
				x ^= x >> 7
				x ^= x << 17
				table[x>>41] += x
			}
		})
	}
	all.Wait()
	return time.Since(start)
}

// units is the wall time of vstream's runs in units of what calibrate took beside them.
func units(table []row) map[string]float64 {
	out := map[string]float64{}
	for _, r := range table {
		if r.engine == "vstream" {
			out[r.query] = math.Round(r.median.Wall/r.unit.Seconds()*1000) / 1000
		}
	}
	return out
}

// compareBaseline prints each workload's figure beside the committed one, or with update commits those of
// this run. The figures of another size do not compare.
func compareBaseline(out io.Writer, file string, now baseline, order []workload, update bool) error {
	text, err := os.ReadFile(file)
	was := baseline{Units: map[string]float64{}}
	if err != nil && !(update && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	if err == nil {
		if err := json.Unmarshal(text, &was); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	same := was.Events == now.Events && was.Cores == now.Cores
	if !same && !update {
		return fmt.Errorf("%s has figures of %d events on %d cores, this run is of %d on %d", file, was.Events, was.Cores, now.Events, now.Cores)
	}
	fmt.Fprintf(out, "\n%-10s%12s%12s%8s\n", "query", "units", "committed", "ratio")
	for _, w := range order {
		n, ok := now.Units[w.name]
		if !ok {
			continue
		}
		if c, ok := was.Units[w.name]; ok && same {
			fmt.Fprintf(out, "%-10s%12.2f%12.2f%8.2f\n", w.name, n, c, n/c)
		} else {
			fmt.Fprintf(out, "%-10s%12.2f\n", w.name, n)
		}
	}
	fmt.Fprintln(out, "unit: the time of a fixed piece of work on as many cores, beside each workload; ratio above 1: slower than committed")
	if !update {
		return nil
	}
	if same {
		for name, c := range was.Units {
			if _, ok := now.Units[name]; !ok {
				now.Units[name] = c
			}
		}
	}
	if text, err = json.MarshalIndent(now, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
