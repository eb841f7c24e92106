package job

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/sink/memory"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// Output reads what the query's sink holds: all committed rows of a file sink, or the
// table of a memory sink. ok is false for sinks that cannot be read back. Files are
// read with the sink's readSchema or else with the query's columns.
func (p *Prepared) Output(ctx context.Context) (s *vector.Schema, rows []*vector.Batch, ok bool, err error) {
	return p.held(ctx, p.Query.Sink, p.Name, p.Table.Schema())
}

// Late is Output for the late sink.
func (p *Prepared) Late(ctx context.Context) (s *vector.Schema, rows []*vector.Batch, ok bool, err error) {
	return p.held(ctx, p.Query.Late, p.Name+"_late", vstream.LateSchema())
}

// held reads what a sink holds; name is its table's if it is a memory sink.
func (p *Prepared) held(ctx context.Context, k *Sink, name string, schema *vector.Schema) (s *vector.Schema, rows []*vector.Batch, ok bool, err error) {
	if k == nil {
		return nil, nil, false, nil
	}
	if k.Format == "memory" {
		t, ok := memory.Lookup(name)
		if !ok {
			return nil, nil, false, nil
		}
		s, rows = t.Rows()
		return s, rows, s != nil, nil
	}
	spec, found := source.Lookup(k.Format)
	location, hasPath := source.Options(k.Options).Get("path")
	if !found || spec.OpenBatch == nil || !hasPath {
		return nil, nil, false, nil
	}
	if k.ReadSchema != "" {
		if schema, err = plan.ParseSchema(k.ReadSchema); err != nil {
			return nil, nil, false, err
		}
	}
	s, rows, err = p.read(ctx, spec, location, schema)
	return s, rows, true, err
}

func (p *Prepared) read(ctx context.Context, spec *source.Spec, location string, schema *vector.Schema) (*vector.Schema, []*vector.Batch, error) {
	session := p.opened.Session
	zone := session.Conf("spark.sql.session.timeZone")
	if zone == "" {
		zone = "UTC"
	}
	c := source.Context{
		Name: "query " + p.Query.Name, Resolve: p.opened.resolve, Conf: p.opened.Job.Conf, TimeZone: zone,
		NowMs: func() int64 { return time.Now().UnixMilli() },
	}
	b, err := spec.OpenBatch(ctx, c, source.Options{"path": location}, schema)
	if err != nil {
		return nil, nil, err
	}
	s := b.Schema()
	columns := make([]int, s.Len())
	for i := range columns {
		columns[i] = i
	}
	splits, err := b.Plan(ctx, source.Pushdown{Columns: columns})
	if err != nil {
		return nil, nil, err
	}
	var rows []*vector.Batch
	for _, split := range splits {
		err := split.Read(ctx, func(b *vector.Batch) error {
			rows = append(rows, b)
			return nil
		})
		if err != nil {
			return nil, nil, condition.In(err, split.Describe())
		}
	}
	return s, rows, nil
}

// resolve makes a path absolute; URLs stay as they are.
func (o *Opened) resolve(path string) string {
	if strings.Contains(path, "://") || filepath.IsAbs(path) {
		return path
	}
	if abs, err := filepath.Abs(filepath.Join(o.dir, path)); err == nil {
		return abs
	}
	return path
}
