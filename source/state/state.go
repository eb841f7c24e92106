// Package state is the state data source: the formats statestore, which reads the rows of a
// stateful operator out of a checkpoint or what batches did to them, and state-metadata, which lists
// operators and stores. Both are tables, not streams. Importing it registers them.
package state

import (
	"context"
	"fmt"
	"runtime"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/statestore/reader"
	"github.com/vstream/vstream/vector"
)

var pathOption = source.Option{Name: reader.OptPath, Type: "path", Doc: "the checkpoint; its query may be running"}

func init() {
	source.Register(source.Spec{
		Name:    "statestore",
		Summary: "The state of one stateful operator in a checkpoint: its rows after a batch, or the changes of batches.",
		Options: []source.Option{
			pathOption,
			{Name: reader.OptBatch, Type: "long", Default: "the last committed", Doc: "the batch after which the state is shown"},
			{Name: reader.OptOperator, Type: "long", Default: "0", Doc: "the operator, as state-metadata lists them"},
			{Name: reader.OptStore, Type: "string", Default: "default", Doc: "the store of an operator that has several"},
			{Name: reader.OptJoinSide, Type: "string", Default: "none", Doc: "left or right: the rows that a join of streams keeps of one side"},
			{Name: reader.OptSnapshotStart, Type: "long", Doc: "begin with the snapshot after this batch; goes with snapshotPartitionId"},
			{Name: reader.OptSnapshotPartition, Type: "int", Doc: "the partition to read with snapshotStartBatchId"},
			{Name: reader.OptChangeFeed, Type: "boolean", Default: "false", Doc: "the changes of batches instead of the state after one"},
			{Name: reader.OptChangeStart, Type: "long", Doc: "the first batch of the change feed"},
			{Name: reader.OptChangeEnd, Type: "long", Default: "the last committed", Doc: "the last batch of the change feed"},
			{Name: reader.OptVariable, Type: "string", Doc: "a variable of transformWithState"},
			{Name: reader.OptTimers, Type: "boolean", Default: "false", Doc: "the timers of transformWithState"},
			{Name: reader.OptFlatten, Type: "boolean", Default: "true", Doc: "of transformWithState: a row for each element of a list or map"},
		},
		InferSchema: func(ctx context.Context, c source.Context, o source.Options) (*vector.Schema, error) {
			t, err := openTable(ctx, c, o)
			if err != nil {
				return nil, err
			}
			return t.Schema(), nil
		},
		OpenBatch: func(ctx context.Context, c source.Context, o source.Options, schema *vector.Schema) (source.Batch, error) {
			t, err := openTable(ctx, c, o)
			if err != nil {
				return nil, err
			}
			return &table{t}, checkSchema("statestore", schema, t.Schema())
		},
	})
	source.Register(source.Spec{
		Name:    "state-metadata",
		Summary: "The stateful operators and stores of a checkpoint.",
		Options: []source.Option{pathOption},
		Schema:  reader.MetadataSchema,
		OpenBatch: func(ctx context.Context, c source.Context, o source.Options, schema *vector.Schema) (source.Batch, error) {
			dir, err := open(ctx, c, o)
			if err != nil {
				return nil, err
			}
			return metadata{dir}, nil
		},
	})
}

// checkSchema refuses a schema that the user gave, since the checkpoint says what the columns are.
func checkSchema(format string, given, is *vector.Schema) error {
	if given == nil || given.Equal(is) {
		return nil
	}
	return condition.New("_LEGACY_ERROR_TEMP_2242", "provider", format).WithHint("leave out the schema: the columns are %s", is)
}

// open finds the checkpoint's directory.
func open(ctx context.Context, c source.Context, o source.Options) (objstore.Store, error) {
	path, ok := o.Get(reader.OptPath)
	if !ok || path == "" {
		return nil, condition.New("STDS_REQUIRED_OPTION_UNSPECIFIED", "optionName", reader.OptPath)
	}
	if c.Resolve != nil {
		path = c.Resolve(path)
	}
	return objstore.Open(ctx, path)
}

func openTable(ctx context.Context, c source.Context, o source.Options) (*reader.Table, error) {
	dir, err := open(ctx, c, o)
	if err != nil {
		return nil, err
	}
	options, err := reader.ParseOptions(o.Get)
	if err != nil {
		return nil, err
	}
	cp, err := reader.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return cp.Table(ctx, options)
}

// table is the state at one batch, or the changes up to one, which never change.
type table struct{ t *reader.Table }

// Schema is key, value and partition_id, of a change feed behind batch_id and change_type.
func (t *table) Schema() *vector.Schema { return t.t.Schema() }

// Version names the batch.
func (t *table) Version(context.Context) (string, error) { return fmt.Sprint(t.t.Batch()), nil }

// Plan shares the partitions out among as many splits as there are processors.
func (t *table) Plan(_ context.Context, p source.Pushdown) ([]source.Split, error) {
	partitions := t.t.Partitions()
	splits := make([]source.Split, min(runtime.GOMAXPROCS(0), len(partitions)))
	for i := range splits {
		var own []int
		for at := i; at < len(partitions); at += len(splits) {
			own = append(own, partitions[at])
		}
		splits[i] = &split{push: p, schema: t.Schema().Project(p.Columns), of: fmt.Sprintf("state partitions %v", own),
			read: func(ctx context.Context, out func(*vector.Batch) error) error { return t.t.Read(ctx, own, out) }}
	}
	return splits, nil
}

// metadata lists the stores of a checkpoint as it is when it is read.
type metadata struct{ dir objstore.Store }

// Schema is reader.MetadataSchema.
func (metadata) Schema() *vector.Schema { return reader.MetadataSchema }

// Version changes with the committed batches.
func (m metadata) Version(ctx context.Context) (string, error) {
	cp, err := reader.Open(ctx, m.dir)
	if err != nil {
		return "", err
	}
	first, last, _ := cp.Batches()
	return fmt.Sprint(first, last), nil
}

// Plan gives one split.
func (m metadata) Plan(_ context.Context, p source.Pushdown) ([]source.Split, error) {
	read := func(ctx context.Context, out func(*vector.Batch) error) error {
		cp, err := reader.Open(ctx, m.dir)
		if err != nil {
			return err
		}
		return out(cp.Metadata())
	}
	return []source.Split{&split{push: p, schema: m.Schema().Project(p.Columns), of: "state metadata", read: read}}, nil
}

// split is a part of a table, whose rows have all columns until they are projected.
type split struct {
	push   source.Pushdown
	schema *vector.Schema
	of     string
	read   func(ctx context.Context, out func(*vector.Batch) error) error
}

// Size is the same for all: how much state there is is not known before it is read.
func (s *split) Size() int64 { return 1 << 20 }

// Describe names the partitions.
func (s *split) Describe() string { return s.of }

// Read gives the rows.
func (s *split) Read(ctx context.Context, out func(*vector.Batch) error) error {
	return s.read(ctx, func(b *vector.Batch) error {
		b = b.Project(s.schema, s.push.Columns)
		if s.push.Filter != nil {
			var err error
			if b, err = s.push.Filter(b); err != nil {
				return err
			}
		}
		if b == nil || b.Len() == 0 {
			return nil
		}
		return out(b)
	})
}
