package file

import (
	"fmt"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/vector"
)

// defaultPartition stands for null and for the empty string, as in Hive.
const defaultPartition = "__HIVE_DEFAULT_PARTITION__"

// layout says which columns go into the files and which into directory names.
type layout struct {
	data      *vector.Schema
	dataCols  []int
	partition []int
	prefixes  []string // "column=" per partition column
	types     []*vector.Type
}

func newLayout(s *vector.Schema, partitionBy []string) (layout, error) {
	l := layout{data: s}
	if len(partitionBy) == 0 {
		return l, nil
	}
	isPartition := map[int]bool{}
	for _, name := range partitionBy {
		i := s.Index(name)
		if i < 0 {
			return l, condition.New("PARTITION_COLUMN_NOT_FOUND_IN_SCHEMA", "column", name, "schema", s.String())
		}
		t := s.Fields[i].Type
		if !t.Atomic() || t.Kind == vector.KindNull || t.Kind == vector.KindCalendarInterval {
			return l, condition.New("INVALID_PARTITION_COLUMN_DATA_TYPE", "type", `"`+t.SQL()+`"`)
		}
		isPartition[i] = true
		l.partition = append(l.partition, i)
		l.prefixes = append(l.prefixes, escapePath(s.Fields[i].Name)+"=")
		l.types = append(l.types, t)
	}
	for i := range s.Fields {
		if !isPartition[i] {
			l.dataCols = append(l.dataCols, i)
		}
	}
	if len(l.dataCols) == 0 {
		return l, condition.New("ALL_PARTITION_COLUMNS_NOT_ALLOWED")
	}
	l.data = s.Project(l.dataCols)
	return l, nil
}

// group is the rows of a batch that go to one directory.
type group struct {
	dir  string // ends with a slash
	rows []uint32
}

// directories splits batches by partition directory. It keeps its buffers from batch to batch.
type directories struct{ path, value []byte }

// split groups the rows of b by directory, in the order in which the directories appear.
func (d *directories) split(b *vector.Batch, l *layout, style render.Style) []group {
	print := make([]render.Append, len(l.partition))
	for j, c := range l.partition {
		print[j] = style.Column(l.types[j], b.Col(c))
	}
	index := map[string]int{}
	var out []group
	for i := range b.Len() {
		d.path = d.path[:0]
		for j, p := range print {
			d.path = append(d.path, l.prefixes[j]...)
			if d.value = p(d.value[:0], i); len(d.value) == 0 { // a null prints as nothing
				d.path = append(d.path, defaultPartition...)
			} else {
				d.path = appendEscaped(d.path, d.value)
			}
			d.path = append(d.path, '/')
		}
		k, ok := index[string(d.path)]
		if !ok {
			k = len(out)
			index[string(d.path)] = k
			out = append(out, group{dir: string(d.path)})
		}
		out[k].rows = append(out[k].rows, uint32(i))
	}
	return out
}

func escapePath(s string) string { return string(appendEscaped(nil, []byte(s))) }

// appendEscaped escapes what Spark's ExternalCatalogUtils escapes in directory names.
func appendEscaped(b, s []byte) []byte {
	for _, c := range s {
		if c > 0 && c < 0x20 || c == 0x7f || strings.IndexByte("\"#%'*/:=?\\{[]^", c) >= 0 {
			b = fmt.Appendf(b, "%%%02X", c)
		} else {
			b = append(b, c)
		}
	}
	return b
}
