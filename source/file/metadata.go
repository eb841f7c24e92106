package file

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// metadataField is the hidden column _metadata of file sources.
var metadataField = vector.Field{Name: "_metadata", Type: vector.StructOf(
	vector.Field{Name: "file_path", Type: vector.String},
	vector.Field{Name: "file_name", Type: vector.String},
	vector.Field{Name: "file_size", Type: vector.Long},
	vector.Field{Name: "file_block_start", Type: vector.Long},
	vector.Field{Name: "file_block_length", Type: vector.Long},
	vector.Field{Name: "file_modification_time", Type: vector.Timestamp},
)}

func metadataColumn(p part, n int) arrow.Array {
	start, length := int64(0), p.entry.size
	if p.footer == nil && p.hi >= 0 {
		start, length = p.lo, p.hi-p.lo
	}
	u := fileURL(p.path)
	values := []arrow.Array{
		oneString(u), oneString(u[strings.LastIndexByte(u, '/')+1:]),
		vector.NewFixed(vector.Long, []int64{p.entry.size}, nil),
		vector.NewFixed(vector.Long, []int64{start}, nil),
		vector.NewFixed(vector.Long, []int64{length}, nil),
		vector.NewFixed(vector.Timestamp, []int64{p.modified * 1000}, nil),
	}
	return vector.Repeat(vector.NewStruct(metadataField.Type, values, 1, nil), n)
}

func oneString(s string) arrow.Array {
	return vector.NewString(vector.String, []int32{0, int32(len(s))}, []byte(s), nil)
}

// nullPartition is the directory value that stands for null, as Hive has it.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// partitionColumn is the value of a directory k=v, cast to the column's type.
func partitionColumn(path, key string, t *vector.Type, zone *time.Location, n int) (arrow.Array, error) {
	v, ok := partitionValues(path)[key]
	if !ok || v == nullPartition {
		return vector.NewNull(t, n), nil
	}
	a, err := kernels.CastArray(&kernels.Ctx{Zone: zone}, oneString(v), vector.String, t, kernels.CastTry)
	if err != nil {
		return nil, err
	}
	if a.IsNull(0) {
		return nil, condition.New("INVALID_PARTITION_VALUE", "value", v, "dataType", t.SQL(), "columnName", key)
	}
	return vector.Repeat(a, n), nil
}

// atLine says where in a file an error is.
func atLine(err error, path string, line int64) error {
	return condition.In(err, fmt.Sprintf("file %s, line %d", filepath.Clean(path), line))
}
