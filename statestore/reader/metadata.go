package reader

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

// MetadataSchema are the columns of the format state-metadata.
var MetadataSchema = vector.NewSchema(
	vector.Field{Name: "operatorId", Type: vector.Long, Nullable: true},
	vector.Field{Name: "operatorName", Type: vector.String, Nullable: true},
	vector.Field{Name: "stateStoreName", Type: vector.String, Nullable: true},
	vector.Field{Name: "numPartitions", Type: vector.Int, Nullable: true},
	vector.Field{Name: "minBatchId", Type: vector.Long, Nullable: true},
	vector.Field{Name: "maxBatchId", Type: vector.Long, Nullable: true},
	vector.Field{Name: "operatorProperties", Type: vector.String, Nullable: true},
)

// Metadata has a row for each store of each operator, in Spark's order. minBatchId and
// maxBatchId are null if no batch is committed yet.
func (c *Checkpoint) Metadata() *vector.Batch {
	var ids, firsts, lasts []int64
	var partitions []int32
	var names, stores []string
	first, last, ok := c.Batches()
	for _, op := range c.operators {
		for _, s := range op.Stores {
			ids, names = append(ids, op.Operator.ID), append(names, op.Operator.Name)
			stores, partitions = append(stores, sparkStore(s.Name)), append(partitions, int32(s.NumPartitions))
			firsts, lasts = append(firsts, first), append(lasts, last)
		}
	}
	n := len(ids)
	var known vector.Bitmap
	if !ok {
		known = vector.NewBitmap(n)
	}
	none := vector.NewString(vector.String, make([]int32, n+1), nil, vector.NewBitmap(n))
	return vector.NewBatch(MetadataSchema, []arrow.Array{
		vector.NewFixed(vector.Long, ids, nil), texts(names), texts(stores), vector.NewFixed(vector.Int, partitions, nil),
		vector.NewFixed(vector.Long, firsts, known), vector.NewFixed(vector.Long, lasts, known), none,
	}, n)
}

// texts is a column of strings.
func texts(values []string) arrow.Array {
	off := make([]int32, 1, len(values)+1)
	var data []byte
	for _, v := range values {
		data = append(data, v...)
		off = append(off, int32(len(data)))
	}
	return vector.NewString(vector.String, off, data, nil)
}
