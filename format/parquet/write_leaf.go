package parquet

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/vstream/vstream/vector"
)

// chunk is the typed side of arrow-go's column chunk writers.
type chunk[T any] interface {
	WriteBatch(values []T, def, rep []int16) (int64, error)
}

// leaf writes the values of a at the places s into the next column of the file.
func (w *Writer) leaf(t *vector.Type, a arrow.Array, s slots) error {
	col, err := w.group.Column(w.col)
	if err != nil {
		return err
	}
	w.col++
	def := s.def
	if def == nil {
		def = w.run(s.depth, s.n)
	}
	switch t.Kind {
	case vector.KindBool:
		return w.bool(col, a, s, def)
	case vector.KindByte:
		w.int32s = widen[int8](s, a, w.int32s)
		return write(col, w.int32s, def, s.rep)
	case vector.KindShort:
		w.int32s = widen[int16](s, a, w.int32s)
		return write(col, w.int32s, def, s.rep)
	case vector.KindInt, vector.KindDate, vector.KindYearMonthInterval:
		return writeFixed(col, a, s, def, &w.int32s)
	case vector.KindLong, vector.KindTimestamp, vector.KindTimestampNTZ, vector.KindDayTimeInterval:
		return writeFixed(col, a, s, def, &w.int64s)
	case vector.KindTime:
		w.int64s = w.int64s[:0]
		ns := vector.Values[int64](a)
		for i := range s.n {
			if j := s.at(i); j >= 0 {
				w.int64s = append(w.int64s, ns[j]/1000)
			}
		}
		return write(col, w.int64s, def, s.rep)
	case vector.KindFloat:
		return writeFixed(col, a, s, def, &w.floats)
	case vector.KindDouble:
		return writeFixed(col, a, s, def, &w.doubles)
	case vector.KindDecimal:
		return w.decimal(t, col, a, s, def)
	}
	return w.byteArrays(col, a, s, def)
}

func write[T any](col file.ColumnChunkWriter, vals []T, def, rep []int16) error {
	_, err := col.(chunk[T]).WriteBatch(vals, def, rep)
	return err
}

func writeFixed[T any](col file.ColumnChunkWriter, a arrow.Array, s slots, def []int16, scratch *[]T) error {
	vals := vector.Values[T](a)
	if s.idx != nil {
		*scratch = present(s, vals, *scratch)
		vals = *scratch
	}
	return write(col, vals, def, s.rep)
}

func widen[T int8 | int16](s slots, a arrow.Array, scratch []int32) []int32 {
	out, vals := scratch[:0], vector.Values[T](a)
	for i := range s.n {
		if j := s.at(i); j >= 0 {
			out = append(out, int32(vals[j]))
		}
	}
	return out
}

func (w *Writer) bool(col file.ColumnChunkWriter, a arrow.Array, s slots, def []int16) error {
	bits := vector.Bools(a)
	w.bools = w.bools[:0]
	for i := range s.n {
		if j := s.at(i); j >= 0 {
			w.bools = append(w.bools, bits.Get(int(j)))
		}
	}
	return write(col, w.bools, def, s.rep)
}

func (w *Writer) byteArrays(col file.ColumnChunkWriter, a arrow.Array, s slots, def []int16) error {
	off, data := vector.Strings(a)
	w.bytes = w.bytes[:0]
	if s.idx == nil {
		for i := range s.n {
			w.bytes = append(w.bytes, data[off[i]:off[i+1]])
		}
	} else {
		for _, j := range s.idx {
			if j >= 0 {
				w.bytes = append(w.bytes, data[off[j]:off[j+1]])
			}
		}
	}
	return write(col, w.bytes, def, s.rep)
}

// decimal writes the unscaled values as Spark does: INT32 or INT64 where they
// fit, otherwise big-endian in the least number of bytes for the precision.
func (w *Writer) decimal(t *vector.Type, col file.ColumnChunkWriter, a arrow.Array, s slots, def []int16) error {
	vals := vector.Values[[16]byte](a)
	low := func(j int32) int64 { return int64(binary.LittleEndian.Uint64(vals[j][:8])) }
	switch pt, width := decimalLayout(t.Precision); pt {
	case parquet.Types.Int32:
		w.int32s = w.int32s[:0]
		for i := range s.n {
			if j := s.at(i); j >= 0 {
				w.int32s = append(w.int32s, int32(low(j)))
			}
		}
		return write(col, w.int32s, def, s.rep)
	case parquet.Types.Int64:
		w.int64s = w.int64s[:0]
		for i := range s.n {
			if j := s.at(i); j >= 0 {
				w.int64s = append(w.int64s, low(j))
			}
		}
		return write(col, w.int64s, def, s.rep)
	default:
		// The arena must not move while w.fixed points into it.
		if cap(w.arena) < s.n*width {
			w.arena = make([]byte, 0, s.n*width)
		}
		w.arena, w.fixed = w.arena[:0], w.fixed[:0]
		for i := range s.n {
			j := s.at(i)
			if j < 0 {
				continue
			}
			at := len(w.arena)
			for b := width - 1; b >= 0; b-- {
				w.arena = append(w.arena, vals[j][b])
			}
			w.fixed = append(w.fixed, w.arena[at:])
		}
		return write(col, w.fixed, def, s.rep)
	}
}
