package vstream

import (
	"context"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/source/memory"
	"github.com/vstream/vstream/stream"
	"github.com/vstream/vstream/vector"
)

// Rows makes a static table of rows in memory. The batches must have the schema and
// must not change afterwards. The error is VSTREAM_INVALID_VALUE for a batch of another schema.
func (s *Session) Rows(schema *vector.Schema, batches ...*vector.Batch) (*Table, error) {
	for _, b := range batches {
		if !b.Schema.Equal(schema) {
			return nil, condition.New("VSTREAM_INVALID_VALUE", "what", "a batch of a table with the columns "+schema.String(), "value", b.Schema.String())
		}
	}
	table := memory.NewTable(schema, batches)
	in := &stream.Input{Relation: "rows", Format: "memory", Schema: schema, Static: true, Spec: &source.Spec{
		Name: "memory",
		OpenBatch: func(context.Context, source.Context, source.Options, *vector.Schema) (source.Batch, error) {
			return table, nil
		},
	}}
	return s.relation(in, schema)
}

// Stream makes a streaming table of a source of the caller's own, such as a
// memory.Stream. One query at a time may read it, which closes it at its end.
func (s *Session) Stream(src source.Source) (*Table, error) {
	in := &stream.Input{Relation: "stream", Format: "memory", Schema: src.Schema(), Spec: &source.Spec{
		Name: "memory",
		Open: func(context.Context, source.Context, source.Options, *vector.Schema) (source.Source, error) {
			return src, nil
		},
	}}
	return s.relation(in, src.Schema())
}

// relation makes a table of the columns of an input. In plans it has the name that the
// input has when the plan is made.
func (s *Session) relation(in *stream.Input, schema *vector.Schema) (*Table, error) {
	return s.table(func(*plan.Analyser) (plan.Node, error) {
		rel := &plan.Relation{Name: in.Relation, IsStream: !in.Static, Schema: schema, Handle: in, DropsFiltered: in.Spec.DropsFiltered}
		for i, f := range schema.Fields {
			rel.Attrs = append(rel.Attrs, &plan.Attr{ID: plan.NewID(), Name: f.Name, Typ: f.Type, Null: f.Nullable})
			rel.Ordinals = append(rel.Ordinals, i)
		}
		return rel, nil
	}, in)
}

// ParseRows reads rows from JSON objects, one each, by the rules of Spark's JSON reader in FAILFAST
// mode: a missing field is null, timestamps without a zone are in UTC. The error is
// MALFORMED_RECORD_IN_PARSING for a row that does not have the schema.
func ParseRows(schema *vector.Schema, rows ...string) (*vector.Batch, error) {
	r := json.NewReader(schema, json.Options{Mode: json.FailFast, Zone: time.UTC, ParsingFallback: true, ExactStrings: true})
	for _, row := range rows {
		if err := r.AppendLine([]byte(row)); err != nil {
			return nil, err
		}
	}
	cols, n := r.Flush()
	return vector.NewBatch(schema, cols, n), nil
}
