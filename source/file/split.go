package file

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/csv"
	"github.com/vstream/vstream/format/parquet"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// textSplitBytes is the size of the parts of a large text file.
const textSplitBytes = 16 << 20

// part is a file or a part of it: bytes of text, row groups of Parquet.
type part struct {
	entry
	lo, hi int64 // hi < 0: the whole file
	size   int64
	footer *parquet.Footer
}

// scan is one read of some files for a query.
type scan struct {
	*tableFormat
	out  *vector.Schema
	push source.Pushdown
	from []outColumn // data numbers need
	need []int       // columns of tableFormat.data
}

// outColumn is where a column comes from.
type outColumn struct {
	data      int    // number of the file's column, -1 if it is none
	partition string // key of a directory k=v
	metadata  bool
}

// tableFormat is a format with the schema and options of a source.
type tableFormat struct {
	format *format
	env    env
	opts   options
	schema *vector.Schema
	cols   []outColumn    // where the columns of schema come from; found when the source opens
	data   *vector.Schema // the columns of the files
}

// scan prepares a read of the columns that p wants.
func (t *tableFormat) scan(p source.Pushdown) *scan {
	s := &scan{tableFormat: t, push: p, out: &vector.Schema{}}
	for _, c := range p.Columns {
		if c == len(t.schema.Fields) {
			s.from = append(s.from, outColumn{data: -1, metadata: true})
			s.out.Fields = append(s.out.Fields, metadataField)
			continue
		}
		s.out.Fields = append(s.out.Fields, t.schema.Fields[c])
		from := t.cols[c]
		if from.data >= 0 {
			s.need = append(s.need, from.data)
			from.data = len(s.need) - 1
		}
		s.from = append(s.from, from)
	}
	return s
}

// splits cuts files into splits, in the order of the files.
func (s *scan) splits(ctx context.Context, files []entry) ([]source.Split, error) {
	var out []source.Split
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, p := range s.parts(f) {
			out = append(out, &split{scan: s, part: p})
		}
	}
	return out, nil
}

func (s *scan) parts(f entry) []part {
	if s.format.text == nil {
		return planParquet(f)
	}
	if f.size < 2*textSplitBytes || compressed(f.path) || !s.format.lines(s.env) {
		return []part{{entry: f, lo: 0, hi: -1, size: f.size}}
	}
	n := f.size / textSplitBytes
	out := make([]part, n)
	for i := range out {
		lo, hi := f.size*int64(i)/n, f.size*int64(i+1)/n
		out[i] = part{entry: f, lo: lo, hi: hi, size: hi - lo}
	}
	return out
}

type split struct {
	*scan
	part part
}

// Size is the number of bytes in the file.
func (s *split) Size() int64 { return s.part.size }

// Describe names the file.
func (s *split) Describe() string { return "file " + s.part.path }

// Read reads the rows of the part.
func (s *split) Read(ctx context.Context, out func(*vector.Batch) error) error {
	var outErr error // of the consumer, which is not the file's fault
	emit := func(cols []arrow.Array, n int) error {
		if err := ctx.Err(); err != nil {
			outErr = err
			return err
		}
		outErr = s.emit(cols, n, out)
		return outErr
	}
	err := s.read(ctx, emit)
	switch {
	case err == nil:
		return nil
	case outErr != nil:
		return outErr
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return s.failed(err)
}

func (s *split) read(ctx context.Context, emit func([]arrow.Array, int) error) error {
	if s.format.text == nil {
		return readParquet(ctx, s.part, s.data.Project(s.need), emit)
	}
	e := s.env
	e.absent = s.push.Absent
	parse, err := s.format.text(e, s.data, s.need)
	if err != nil {
		return err
	}
	f, err := openText(s.part.path, s.part.lo, s.part.hi)
	if err != nil {
		return openError(s.part.path, err)
	}
	defer f.Close()
	err = parse(f, s.part.lo == 0, emit)
	line := int64(0)
	var rec *csv.RecordError
	var le *lineError
	switch {
	case errors.As(err, &rec):
		line, err = rec.Line, rec.Err
	case errors.As(err, &le):
		line, err = le.line, le.err
	default:
		return err
	}
	if f.from > 0 {
		line += linesBefore(s.part.path, f.from)
	}
	return atLine(err, s.part.path, line)
}

// failed turns an error of reading into the condition that names the file, or
// into none if the file's state is to be ignored.
func (s *split) failed(err error) error {
	var c *condition.Error
	if !errors.As(err, &c) {
		c = condition.New("FAILED_READ_FILE.NO_HINT", "path", fileURL(s.part.path)).WithCause(err)
	}
	switch {
	case c.Name == "FAILED_READ_FILE.FILE_NOT_EXIST" && s.opts.ignoreMissing:
		return nil
	case (c.Name == "FAILED_READ_FILE.NO_HINT" || c.Name == "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER") && s.opts.ignoreCorrupt:
		return nil
	case c.Name == "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER" || c.Name == "FAILED_READ_FILE.NO_HINT":
		if c.Hint == "" {
			c = c.WithHint("the file is damaged or not %s; replace it, or set ignoreCorruptFiles to true to skip it", s.format.name)
		}
	}
	return c
}

// emit puts the columns of the file, of its directory and its metadata together.
func (s *split) emit(data []arrow.Array, n int, out func(*vector.Batch) error) error {
	cols := make([]arrow.Array, len(s.from))
	for i, c := range s.from {
		switch {
		case c.data >= 0:
			cols[i] = data[c.data]
		case c.metadata:
			cols[i] = metadataColumn(s.part, n)
		default:
			v, err := partitionColumn(s.part.path, c.partition, s.out.Fields[i].Type, s.env.zone, n)
			if err != nil {
				return err
			}
			cols[i] = v
		}
	}
	b := vector.NewBatch(s.out, cols, n)
	if len(data) > len(s.need) {
		b = s.withAbsent(b, vector.Values[int64](data[len(s.need)]))
	}
	if s.push.Filter != nil {
		f, err := s.push.Filter(b)
		if err != nil || f == nil || f.Len() == 0 {
			return err
		}
		b = f
	}
	return out(b)
}

// withAbsent adds the column of absent fields, given by the columns of the file.
func (s *split) withAbsent(b *vector.Batch, masks []int64) *vector.Batch {
	out := make([]int64, len(masks))
	for i, c := range s.from {
		if c.data < 0 || c.data > 63 || i > 63 {
			continue
		}
		for row, m := range masks {
			out[row] |= m >> c.data & 1 << i
		}
	}
	schema := &vector.Schema{Fields: append(s.out.Fields[:len(s.out.Fields):len(s.out.Fields)], vector.Field{Name: "absent", Type: vector.Long})}
	return vector.NewBatch(schema, append(b.Columns(), vector.NewFixed(vector.Long, out, nil)), b.Len())
}
