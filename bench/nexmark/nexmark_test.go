package nexmark_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/bench/dataset"
	"github.com/vstream/vstream/bench/nexmark"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/vector"
)

// files are the contents of all data files by name.
func files(t *testing.T, o dataset.Options) map[string][]byte {
	t.Helper()
	if nexmark.Model.Exists(o) {
		t.Error("exists before it is generated")
	}
	if err := nexmark.Model.Generate(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if !nexmark.Model.Exists(o) {
		t.Error("does not exist")
	}
	names, err := filepath.Glob(filepath.Join(o.Dir, "*", "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, n := range names {
		data, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(o.Dir, n)
		if err != nil {
			t.Fatal(err)
		}
		out[rel] = data
	}
	return out
}

func TestDeterministic(t *testing.T) {
	o := dataset.Options{Events: 2990, PerFile: 1000, Seed: 42, Workers: 3}
	o.Dir = t.TempDir()
	first := files(t, o)
	if len(first) != 9 {
		t.Errorf("%d files", len(first))
	}
	o.Dir, o.Workers = t.TempDir(), 1
	for name, data := range files(t, o) {
		if !bytes.Equal(data, first[name]) {
			t.Errorf("%s differs", name)
		}
	}
	o.Dir, o.Seed = t.TempDir(), 43
	if bytes.Equal(files(t, o)["bids/part-0001.parquet"], first["bids/part-0001.parquet"]) {
		t.Error("the seed has no effect")
	}
}

// column reads one BIGINT or TIMESTAMP column of all files of a table.
func column(t *testing.T, data map[string][]byte, pattern, name string, typ *vector.Type) (out []int64) {
	t.Helper()
	for _, file := range []string{"part-0000.parquet", "part-0001.parquet"} {
		in := bytes.NewReader(data[pattern+"/"+file])
		f, err := parquet.Open(in, file)
		if err != nil {
			t.Fatal(err)
		}
		s := vector.NewSchema(vector.Field{Name: name, Type: typ})
		err = f.Read(context.Background(), in, s, 0, f.RowGroups(), func(cols []arrow.Array, _ int) error {
			out = append(out, vector.Values[int64](cols[0])...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestModel(t *testing.T) {
	const events = 100_000
	data := files(t, dataset.Options{Dir: t.TempDir(), Events: events, PerFile: events / 2, Seed: 1})
	auctions := column(t, data, "auctions", "id", vector.Long)
	persons := column(t, data, "persons", "id", vector.Long)
	if len(persons) != events/50 || len(auctions) != events/50*3 {
		t.Errorf("%d persons, %d auctions", len(persons), len(auctions))
	}
	for i, id := range auctions {
		if id != int64(1000+i) {
			t.Fatalf("auction %d has id %d", i, id)
		}
	}
	const base = 1_767_225_600_000_000
	at := column(t, data, "bids", "dateTime", vector.Timestamp)
	ids := column(t, data, "bids", "bid_id", vector.Long)
	if len(at) != events/50*46 {
		t.Fatalf("%d bids", len(at))
	}
	repeated, seen := 0, map[int64]bool{}
	for i := range at {
		n := int64(i/46*50 + 4 + i%46)
		if late := base + n*100 - at[i]; late < 0 || late >= 2_000_000 {
			t.Fatalf("bid %d is %d µs late", i, late)
		}
		if seen[ids[i]] {
			repeated++
		}
		seen[ids[i]] = true
		if ids[i] > n {
			t.Fatalf("bid %d repeats a later one", i)
		}
	}
	if share := float64(repeated) / float64(len(ids)); share < 0.04 || share > 0.06 {
		t.Errorf("%.3f of the bids are repeated", share)
	}
	hot := 0
	auction := column(t, data, "bids", "auction", vector.Long)
	for _, a := range auction {
		if a%100 == 0 {
			hot++
		}
	}
	if share := float64(hot) / float64(len(auction)); share < 0.48 || share > 0.54 {
		t.Errorf("%.3f of the bids are for hot auctions", share)
	}
}
