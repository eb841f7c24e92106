package file

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

const (
	// splitRows is the number of rows from which on row groups become a split of
	// their own, so that the cores share a large file.
	splitRows = 64 << 10
	// planBytes is the size from which on a file's footer is read at planning.
	planBytes = 4 << 20
)

var parquetFormat = format{
	name: "parquet", summary: "Parquet files.",
	options: []source.Option{
		{Name: "mergeSchema", Type: "boolean", Default: "false", Doc: "Infer the schema from all files instead of one."},
	},
	check: func(*vector.Schema, env) error { return nil },
	infer: inferParquet,
}

// inferParquet takes the schema of one file, or with mergeSchema the columns of all.
func inferParquet(ctx context.Context, files []entry, e env) (*vector.Schema, error) {
	if len(files) == 0 {
		return nil, nil
	}
	merge := isTrue(e.get("mergeSchema")) || isTrue(e.conf["spark.sql.parquet.mergeSchema"])
	if !merge {
		files = files[:1]
	}
	var merged *vector.Schema
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := parquetSchema(f.path)
		if err != nil {
			return nil, err
		}
		if merged == nil {
			merged = s
			continue
		}
		for _, field := range s.Fields {
			i := merged.Index(field.Name)
			if i < 0 {
				merged.Fields = append(merged.Fields, field)
			} else if !merged.Fields[i].Type.Equal(field.Type) {
				return nil, condition.New("CANNOT_MERGE_SCHEMAS", "left", `"`+merged.Type().SQL()+`"`, "right", `"`+s.Type().SQL()+`"`)
			}
		}
	}
	return merged, nil
}

func parquetSchema(path string) (*vector.Schema, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	defer f.Close()
	ft, err := parquet.Open(f, fileURL(path))
	if err != nil {
		return nil, err
	}
	return ft.Schema()
}

// openError is the condition for a file that does not open.
func openError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return condition.New("FAILED_READ_FILE.FILE_NOT_EXIST", "path", fileURL(path)).WithCause(err)
	case errors.Is(err, fs.ErrPermission):
		return ioError("read", path, err)
	}
	return condition.New("FAILED_READ_FILE.NO_HINT", "path", fileURL(path)).WithCause(err)
}

// planParquet cuts a file into runs of row groups. A file that is small or whose
// footer does not read is one part; reading it then gives the error.
func planParquet(e entry) []part {
	whole := []part{{entry: e, lo: 0, hi: -1, size: e.size}}
	if e.size < planBytes {
		return whole
	}
	f, err := os.Open(e.path)
	if err != nil {
		return whole
	}
	defer f.Close()
	ft, err := parquet.Open(f, fileURL(e.path))
	if err != nil || ft.RowGroups() < 2 {
		return whole
	}
	var out []part
	lo, rows, bytes := 0, int64(0), int64(0)
	for g := range ft.RowGroups() {
		r, b := ft.RowGroup(g)
		rows, bytes = rows+r, bytes+b
		if rows >= splitRows || g == ft.RowGroups()-1 {
			out = append(out, part{entry: e, lo: int64(lo), hi: int64(g + 1), size: bytes, footer: ft})
			lo, rows, bytes = g+1, 0, 0
		}
	}
	return out
}

func readParquet(ctx context.Context, p part, want *vector.Schema, out func([]arrow.Array, int) error) error {
	f, err := os.Open(p.path)
	if err != nil {
		return openError(p.path, err)
	}
	defer f.Close()
	ft := p.footer
	if ft == nil {
		if ft, err = parquet.Open(f, fileURL(p.path)); err != nil {
			return err
		}
	}
	lo, hi := int(p.lo), int(p.hi)
	if hi < 0 {
		hi = ft.RowGroups()
	}
	return ft.Read(ctx, f, want, lo, hi, out)
}
