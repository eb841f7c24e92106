package reader

import (
	"testing"

	"github.com/vstream/vstream/statestore"
)

// FuzzLayout shows a block of a table that any schema file describes: it is shown or
// refused, and never panics.
func FuzzLayout(f *testing.F) {
	add := func(text string, data []byte) { f.Add([]byte(text), data) }
	add(`{"version":1,"orderColumn":-1,"keys":[{"type":"timestamp","width":8},{"type":"timestamp","width":8}],"values":[],
		"view":{"key":[{"name":"w","type":"struct<start:timestamp,end:timestamp>","column":0,"form":"window"}],"value":[{"name":"d","type":"void","column":-1}]}}`, []byte{3})
	add(`{"version":1,"orderColumn":-1,"keys":[{"type":"struct<a:bigint,b:string>"}],"values":[{"type":"boolean","width":1}],
		"view":{"key":[{"name":"s","type":"struct<a:bigint,b:string>","column":0,"form":"encoded"}],"value":[{"name":"v","type":"boolean","column":1}]}}`, []byte{2, 0x80, 0, 0, 0, 0, 0, 0, 7, 2, 'x', 0, 0})
	add(`{"version":1,"orderColumn":-1,"keys":[{"type":"binary"}],"values":[{"type":"decimal(20,2)","width":16},{"type":"string"}],
		"view":{"key":[{"name":"f","type":"int","column":0,"form":"boxed"}],"value":[{"name":"v","type":"string","column":2}]}}`, []byte{2, 0x80, 0, 0, 1})
	f.Fuzz(func(t *testing.T, text, data []byte) {
		s, err := statestore.DecodeSchema("f", text)
		if err != nil {
			return
		}
		l, err := newLayout("f", s)
		if err != nil {
			return
		}
		b := statestore.Block{Rows: 2}
		for _, c := range append(s.Keys[:len(s.Keys):len(s.Keys)], s.Values...) {
			if c.Width > 1<<10 {
				return
			}
			col := statestore.ColumnData{Valid: []byte{byte(len(data)) | 1}}
			if c.Width > 0 {
				col.Data = make([]byte, 2*c.Width)
				copy(col.Data, data)
			} else {
				col.Data, col.Off = data, []uint32{0, uint32(len(data)), uint32(len(data))}
			}
			b.Cols = append(b.Cols, col)
		}
		table := &Table{layout: l}
		if x, err := table.show(b); err == nil && (x.key.Len() != 2 || x.value.Len() != 2) {
			t.Fatal("rows are lost")
		}
		if x, err := table.deleted(b); err == nil && x.key.Len() != 2 {
			t.Fatal("keys are lost")
		}
	})
}
