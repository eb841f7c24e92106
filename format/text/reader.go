package text

import (
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/vector"
)

const (
	batchRows  = 32 << 10
	batchBytes = 8 << 20
)

// Schema is the schema of text files: one string column value.
var Schema = vector.NewSchema(vector.Field{Name: "value", Type: vector.String, Nullable: true})

// Options are Spark's options of the text data source.
type Options struct {
	WholeText bool   // a file is one row
	LineSep   string // "": \n, \r\n or \r
}

// Read gives the lines of in as batches of one string column, or of no column if
// column is false. start is as for Lines.
func Read(in io.Reader, start bool, o Options, column bool, out func(cols []arrow.Array, rows int) error) error {
	b := builder{out: out, column: column}
	if o.WholeText {
		data, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		if err := b.add(data); err != nil {
			return err
		}
		return b.flush()
	}
	if err := Lines(in, o.LineSep, start, b.add); err != nil {
		return err
	}
	return b.flush()
}

type builder struct {
	out    func([]arrow.Array, int) error
	column bool
	rows   int
	off    []int32
	data   []byte
}

func (b *builder) add(line []byte) error {
	if b.rows == batchRows || len(b.data) > batchBytes || len(b.data)+len(line) > math.MaxInt32 {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.rows++
	if b.column {
		if b.off == nil {
			b.off = make([]int32, 1, batchRows+1)
		}
		b.data = append(b.data, line...)
		b.off = append(b.off, int32(len(b.data)))
	}
	return nil
}

func (b *builder) flush() error {
	if b.rows == 0 {
		return nil
	}
	var cols []arrow.Array
	if b.column {
		cols = []arrow.Array{vector.NewString(vector.String, b.off, b.data, nil)}
	}
	n := b.rows
	size := len(b.data)
	b.rows, b.off, b.data = 0, nil, make([]byte, 0, size)
	return b.out(cols, n)
}
