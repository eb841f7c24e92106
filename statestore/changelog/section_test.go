package changelog_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vstream/vstream/statestore"
	"github.com/vstream/vstream/statestore/changelog"
)

// row is a row of a section as plain values; nil is null.
type row [][]byte

// rows takes blocks apart, for comparison.
func rows(blocks []statestore.Block, widths []int) []row {
	var out []row
	for _, b := range blocks {
		for i := range b.Rows {
			r := make(row, len(widths))
			for c, w := range widths {
				col := b.Cols[c]
				switch {
				case col.Valid != nil && col.Valid[i/8]>>(i%8)&1 == 0:
				case w > 0:
					r[c] = append([]byte{}, col.Data[i*w:(i+1)*w]...)
				default:
					r[c] = append([]byte{}, col.Data[col.Off[i]:col.Off[i+1]]...)
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// block makes a block of rows; the variable column's offsets begin at pad.
func block(rs []row, widths []int, pad int) statestore.Block {
	b := statestore.Block{Rows: len(rs), Cols: make([]statestore.ColumnData, len(widths))}
	for c, w := range widths {
		col := &b.Cols[c]
		if w == 0 {
			col.Data = bytes.Repeat([]byte{'#'}, pad)
			col.Off = []uint32{uint32(pad)}
		}
		for i, r := range rs {
			if r[c] == nil {
				if col.Valid == nil {
					col.Valid = bytes.Repeat([]byte{0xff}, (len(rs)+7)/8)
				}
				col.Valid[i/8] &^= 1 << (i % 8)
			}
			v := r[c]
			if w > 0 {
				v = append(v[:len(v):len(v)], make([]byte, w-len(v))...)
			}
			col.Data = append(col.Data, v...)
			if w == 0 {
				col.Off = append(col.Off, uint32(len(col.Data)))
			}
		}
	}
	return b
}

func schema(keys, values []int) statestore.Schema {
	s := statestore.Schema{OrderCol: -1}
	for _, w := range keys {
		s.Keys = append(s.Keys, statestore.Column{Width: w})
	}
	for _, w := range values {
		s.Values = append(s.Values, statestore.Column{Width: w, Nullable: true})
	}
	return s
}

func drawBlocks(t *rapid.T, widths []int, label string) []statestore.Block {
	var blocks []statestore.Block
	for range rapid.IntRange(0, 3).Draw(t, label+" blocks") {
		n := rapid.SampledFrom([]int{0, 1, 7, 8, 9, 17, 64, 100}).Draw(t, label+" rows")
		rs := make([]row, n)
		for i := range rs {
			rs[i] = make(row, len(widths))
			for c, w := range widths {
				switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
				case kind == 0: // null
				case w > 0:
					v := make([]byte, w)
					v[0] = byte(kind)
					v[w-1] = byte(kind / 5)
					rs[i][c] = v
				default:
					rs[i][c] = bytes.Repeat([]byte{byte(kind)}, kind*kind)
				}
			}
		}
		blocks = append(blocks, block(rs, widths, rapid.IntRange(0, 3).Draw(t, "pad")))
	}
	return blocks
}

func TestSectionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{0, 1, 2, 4, 8, 12, 16})
		keys := rapid.SliceOfN(width, 1, 3).Draw(t, "keys")
		values := rapid.SliceOfN(width, 0, 3).Draw(t, "values")
		all := append(keys[:len(keys):len(keys)], values...)
		c := &statestore.Changes{
			Clear: rapid.Bool().Draw(t, "clear"), HasDeleteBelow: rapid.Bool().Draw(t, "evicts"),
			Deletes: drawBlocks(t, keys, "delete"), Puts: drawBlocks(t, all, "put"),
		}
		if c.HasDeleteBelow {
			c.DeleteBelow = rapid.Int64().Draw(t, "below")
		}
		s := schema(keys, values)
		data, err := changelog.EncodeSection([]byte("prefix"), s, c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := changelog.DecodeSection(data[len("prefix"):], s)
		if err != nil {
			t.Fatal(err)
		}
		if got.Clear != c.Clear || got.HasDeleteBelow != c.HasDeleteBelow || got.DeleteBelow != c.DeleteBelow {
			t.Fatalf("got %+v", got)
		}
		if d := cmp.Diff(rows(c.Deletes, keys), rows(got.Deletes, keys)); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(rows(c.Puts, all), rows(got.Puts, all)); d != "" {
			t.Fatal(d)
		}
		for n := range len(data) - len("prefix") {
			if _, err := changelog.DecodeSection(data[len("prefix"):len("prefix")+n], s); err == nil {
				t.Fatalf("cut to %d bytes and accepted", n)
			}
		}
	})
}

// TestLargeBlocks crosses the limits at which blocks are cut: rows and bytes.
func TestLargeBlocks(t *testing.T) {
	widths := []int{8, 0}
	s := schema(widths[:1], widths[1:])
	rs := make([]row, 2*changelog.BlockRows+13)
	for i := range rs {
		rs[i] = row{binary.LittleEndian.AppendUint64(nil, uint64(i)), []byte("v")}
		if i%1000 == 0 {
			rs[i][1] = bytes.Repeat([]byte("long"), 1<<18)
		}
		if i%777 == 0 {
			rs[i][1] = nil
		}
	}
	b := block(rs, widths, 0)
	data, err := changelog.EncodeSection(nil, s, &statestore.Changes{Puts: []statestore.Block{b}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := changelog.DecodeSection(data, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Puts) < 4 {
		t.Errorf("%d blocks", len(got.Puts))
	}
	n := 0
	for _, p := range got.Puts {
		for i, r := range rows([]statestore.Block{p}, widths) {
			if !bytes.Equal(r[0], rs[n+i][0]) || !bytes.Equal(r[1], rs[n+i][1]) || (r[1] == nil) != (rs[n+i][1] == nil) {
				t.Fatalf("row %d differs", n+i)
			}
		}
		n += p.Rows
	}
	if n != len(rs) {
		t.Errorf("%d rows, want %d", n, len(rs))
	}
}

func TestEncodeRefusesBadBlocks(t *testing.T) {
	s := schema([]int{8}, []int{0})
	col := func(data int, off ...uint32) statestore.ColumnData {
		return statestore.ColumnData{Data: make([]byte, data), Off: off}
	}
	for name, b := range map[string]statestore.Block{
		"columns":  {Rows: 1, Cols: []statestore.ColumnData{col(8)}},
		"short":    {Rows: 2, Cols: []statestore.ColumnData{col(15), col(0, 0, 0, 0)}},
		"offsets":  {Rows: 2, Cols: []statestore.ColumnData{col(16), col(0, 0, 0)}},
		"past":     {Rows: 1, Cols: []statestore.ColumnData{col(8), col(3, 0, 4)}},
		"falling":  {Rows: 2, Cols: []statestore.ColumnData{col(16), col(3, 2, 1, 3)}},
		"validity": {Rows: 1, Cols: []statestore.ColumnData{{Data: make([]byte, 8), Valid: []byte{}}, col(0, 0, 0)}},
	} {
		if _, err := changelog.EncodeSection(nil, s, &statestore.Changes{Puts: []statestore.Block{b}}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestDecodeRefusesAnotherLayout(t *testing.T) {
	data, err := changelog.EncodeSection(nil, schema([]int{8}, []int{4}), &statestore.Changes{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []statestore.Schema{schema([]int{8}, nil), schema([]int{8}, []int{8}), schema([]int{8, 4}, nil)} {
		if _, err := changelog.DecodeSection(data, s); err == nil {
			t.Errorf("%v: accepted", s)
		}
	}
}

func FuzzDecodeSection(f *testing.F) {
	s := schema([]int{8, 0}, []int{4, 0})
	widths := []int{8, 0, 4, 0}
	seed, err := changelog.EncodeSection(nil, s, &statestore.Changes{Clear: true, HasDeleteBelow: true, DeleteBelow: -1,
		Deletes: []statestore.Block{block([]row{{[]byte("12345678"), []byte("key")}}, widths[:2], 0)},
		Puts:    []statestore.Block{block([]row{{[]byte("12345678"), []byte("key"), []byte("1234"), nil}, {[]byte("\x01"), []byte("key2"), nil, []byte("v")}}, widths, 0)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := changelog.DecodeSection(data, s)
		if err != nil {
			return
		}
		again, err := changelog.EncodeSection(nil, s, c)
		if err != nil {
			t.Fatal(err)
		}
		back, err := changelog.DecodeSection(again, s)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(rows(c.Puts, widths), rows(back.Puts, widths)); d != "" {
			t.Fatal(d)
		}
	})
}

// benchChanges has n rows of a random key, a count and a sum.
func benchChanges(n int) *statestore.Changes {
	rng := rand.New(rand.NewPCG(1, 2))
	var cols [3]statestore.ColumnData
	for range n {
		cols[0].Data = binary.LittleEndian.AppendUint64(cols[0].Data, rng.Uint64N(1<<20))
		cols[1].Data = binary.LittleEndian.AppendUint64(cols[1].Data, rng.Uint64N(100))
		cols[2].Data = binary.LittleEndian.AppendUint64(cols[2].Data, rng.Uint64N(10000))
	}
	return &statestore.Changes{Puts: []statestore.Block{{Rows: n, Cols: cols[:]}}}
}

func BenchmarkEncodeSection(b *testing.B) {
	const n = 100_000
	c, s := benchChanges(n), schema([]int{8}, []int{8, 8})
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = changelog.EncodeSection(dst[:0], s, c)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
	b.ReportMetric(float64(len(dst))/n, "bytes/row")
}

func BenchmarkDecodeSection(b *testing.B) {
	const n = 100_000
	s := schema([]int{8}, []int{8, 8})
	data, _ := changelog.EncodeSection(nil, s, benchChanges(n))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = changelog.DecodeSection(data, s)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
