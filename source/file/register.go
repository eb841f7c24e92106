package file

import (
	"context"

	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

func init() {
	for _, f := range []*format{&csvFormat, &jsonFormat, &parquetFormat, &textFormat} {
		source.Register(spec(f))
	}
}

func spec(f *format) source.Spec {
	return source.Spec{
		Name:    f.name,
		Kind:    "file",
		Summary: f.summary,
		Options: append(append([]source.Option(nil), streamOptions...), f.options...),
		Open: func(ctx context.Context, c source.Context, o source.Options, schema *vector.Schema) (source.Source, error) {
			return openStream(ctx, f, c, o, schema)
		},
		NeedsSchema: f.schema == nil, DropsFiltered: f.filters,
		InferSchema: func(ctx context.Context, c source.Context, o source.Options) (*vector.Schema, error) {
			t, _, err := openTable(ctx, f, c, o, nil, false)
			if err != nil {
				return nil, err
			}
			return t.schema, nil
		},
		OpenBatch: func(ctx context.Context, c source.Context, o source.Options, schema *vector.Schema) (source.Batch, error) {
			return openBatch(ctx, f, c, o, schema)
		},
	}
}
