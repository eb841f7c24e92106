// Package parquet reads and writes Parquet files as Spark's Parquet data source
// does, straight between column chunks and Arrow columns.
package parquet

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// batchRows is the number of rows of a batch: large enough to spread the cost of
// a call over many values, small enough that a batch's columns stay in the cache.
const batchRows = 32 << 10

// Input is what a file is read from; *os.File is one.
type Input = parquet.ReaderAtSeeker

// Footer is the decoded footer of a file. It can be kept and used for any number
// of concurrent reads.
type Footer struct {
	path string
	meta *metadata.FileMetaData
	root *node
}

// Open reads the footer. path names the file in errors. A file without a proper
// footer gives FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER.
func Open(in Input, path string) (f *Footer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = footerError(path, fmt.Errorf("corrupt footer: %v", p))
		}
	}()
	r, err := file.NewParquetReader(in)
	if err != nil {
		return nil, footerError(path, err)
	}
	root, err := buildTree(r.MetaData().Schema)
	if err != nil {
		return nil, footerError(path, err)
	}
	return &Footer{path: path, meta: r.MetaData(), root: root}, nil
}

// RowGroups is the number of row groups.
func (f *Footer) RowGroups() int { return len(f.meta.RowGroups) }

// RowGroup gives the number of rows of row group i and the compressed bytes of all its columns.
func (f *Footer) RowGroup(i int) (rows, bytes int64) {
	g := f.meta.RowGroups[i]
	for _, c := range g.Columns {
		if c.MetaData != nil {
			bytes += c.MetaData.TotalCompressedSize
		}
	}
	return g.NumRows, bytes
}

// NumRows is the number of rows of the file.
func (f *Footer) NumRows() int64 { return f.meta.NumRows }

// Read decodes the row groups lo..hi (hi not included) into columns of the types
// of want and gives them to out in batches. Columns are found by name without
// regard to case; one that the file lacks is null throughout. in is the file that
// the footer was read from.
//
// A type that Spark does not convert gives FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH,
// damaged data FAILED_READ_FILE.NO_HINT. An error of out is returned as it is.
func (f *Footer) Read(ctx context.Context, in Input, want *vector.Schema, lo, hi int, out func(cols []arrow.Array, rows int) error) error {
	plan, err := f.plan(want)
	if err != nil {
		return err
	}
	r, err := file.NewParquetReader(in, file.WithMetadata(f.meta))
	if err != nil {
		return f.readError(err)
	}
	var scratch levels
	for g := lo; g < hi; g++ {
		if err := f.readGroup(ctx, r, plan, g, &scratch, out); err != nil {
			return err
		}
	}
	return nil
}

func (f *Footer) readGroup(ctx context.Context, r *file.Reader, plan []*column, g int, scratch *levels, out func([]arrow.Array, int) error) error {
	rows := int(f.meta.RowGroups[g].NumRows)
	srcs := make([]rowSource, len(plan))
	err := f.guard(func() (err error) {
		rg := r.RowGroup(g)
		for i, c := range plan {
			if srcs[i], err = c.open(rg, rows, scratch); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for done := 0; done < rows; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(batchRows, rows-done)
		cols := make([]arrow.Array, len(plan))
		err := f.guard(func() (err error) {
			for i, s := range srcs {
				if cols[i], err = s.next(n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := out(cols, n); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// guard turns an error or a panic of the decoder, which damaged bytes can cause,
// into the condition that names the file.
func (f *Footer) guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = f.readError(fmt.Errorf("corrupt data: %v", p))
		}
	}()
	if err := do(); err != nil {
		return f.readError(err)
	}
	return nil
}

func (f *Footer) readError(err error) error {
	return condition.New("FAILED_READ_FILE.NO_HINT", "path", f.path).WithCause(err)
}

func footerError(path string, err error) error {
	return condition.New("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", "path", path).WithCause(err)
}

func (f *Footer) plan(want *vector.Schema) ([]*column, error) {
	plan := make([]*column, len(want.Fields))
	for i, w := range want.Fields {
		c, err := f.match(f.root, w)
		if err != nil {
			return nil, err
		}
		plan[i] = c
	}
	return plan, nil
}

// match finds the wanted field among a group's children and checks its type all the way down.
func (f *Footer) match(group *node, w vector.Field) (*column, error) {
	n, err := group.child(w.Name)
	if err != nil {
		return nil, err
	}
	c := &column{t: w.Type, node: n}
	if n == nil {
		return c, nil
	}
	return c, f.bind(c)
}

func (f *Footer) bind(c *column) error {
	n, t := c.node, c.t
	switch {
	case n.kind == leafNode && t.Atomic():
		if !convertible(n.leaf, t) {
			return f.mismatch(n, t)
		}
		return nil
	case n.kind == structNode && t.Kind == vector.KindStruct:
		for _, w := range t.Fields {
			k, err := f.match(n, w)
			if err != nil {
				return err
			}
			c.kids = append(c.kids, k)
		}
		return nil
	case n.kind == listNode && t.Kind == vector.KindArray:
		k := &column{t: t.Elem, node: n.kids[0]}
		c.kids = []*column{k}
		return f.bind(k)
	case n.kind == mapNode && t.Kind == vector.KindMap:
		c.kids = []*column{{t: t.Key, node: n.kids[0]}, {t: t.Elem, node: n.kids[1]}}
		for _, k := range c.kids {
			if err := f.bind(k); err != nil {
				return err
			}
		}
		return nil
	case n.kind == structNode && t.Kind == vector.KindVariant:
		for _, name := range []string{"value", "metadata"} {
			k, err := f.match(n, vector.Field{Name: name, Type: vector.Binary})
			if err != nil {
				return err
			}
			c.kids = append(c.kids, k)
		}
		return nil
	}
	return f.mismatch(n, t)
}

func (f *Footer) mismatch(n *node, t *vector.Type) error {
	actual := "group"
	if n.kind == leafNode {
		actual = n.leaf.PhysicalType().String()
	}
	return condition.New("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH", "path", f.path,
		"column", "["+strings.ReplaceAll(n.path, ".", ", ")+"]", "expectedType", t.String(), "actualType", actual)
}
