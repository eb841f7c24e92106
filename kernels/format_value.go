package kernels

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/vector"
)

// printed is value i of a, in UTC, as messages show it.
func printed(t *vector.Type, a arrow.Array, i int) string {
	return string(render.Style{Null: "null"}.Column(t, a)(nil, i))
}

// listChild is the elements of a list array; the offsets of vector.Offsets index it.
func listChild(a arrow.Array) arrow.Array { return array.MakeFromData(a.Data().Children()[0]) }

// mapChildren are the keys and values of a map array.
func mapChildren(a arrow.Array) (keys, values arrow.Array) {
	entries := array.MakeFromData(a.Data().Children()[0]).(*array.Struct)
	return entries.Field(0), entries.Field(1)
}
