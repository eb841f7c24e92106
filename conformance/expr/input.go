package expr

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/vector"
)

// inputsFile is the name of the file with the tables that cases read.
const inputsFile = "inputs.json"

// Inputs are the tables that cases read, by name.
type Inputs map[string]*vector.Batch

// FindInputs reads the tables for a case file: of inputs.json beside it or in the
// folder above; none if there is no such file.
func FindInputs(caseFile string) (Inputs, error) {
	dir := filepath.Dir(caseFile)
	for _, d := range []string{dir, filepath.Join(dir, "..")} {
		in, err := ReadInputs(filepath.Join(d, inputsFile))
		if !errors.Is(err, fs.ErrNotExist) {
			return in, err
		}
	}
	return nil, nil
}

// ReadInputs reads a file of tables.
func ReadInputs(file string) (Inputs, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var tables map[string]struct {
		Schema string
		Rows   [][]any
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&tables); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	out := Inputs{}
	for name, t := range tables {
		b, err := tableOf(t.Schema, t.Rows)
		if err != nil {
			return nil, fmt.Errorf("%s: table %s: %w", file, name, err)
		}
		out[name] = b
	}
	return out, nil
}

func tableOf(ddl string, rows [][]any) (*vector.Batch, error) {
	schema, err := vstream.ParseSchema(ddl)
	if err != nil {
		return nil, err
	}
	cols := make([]arrow.Array, schema.Len())
	for i, f := range schema.Fields {
		values := make([]any, len(rows))
		for j, r := range rows {
			if len(r) != len(cols) {
				return nil, fmt.Errorf("row %d has %d values for %d columns", j, len(r), len(cols))
			}
			values[j] = r[i]
		}
		if cols[i], err = column(f.Type, values); err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
	}
	return vector.NewBatch(schema, cols, len(rows)), nil
}

// column builds a column from values in canonical JSON.
func column(t *vector.Type, values []any) (arrow.Array, error) {
	n := len(values)
	valid := vector.NewValid(n)
	for i, v := range values {
		if v == nil {
			valid.Clear(i)
		}
	}
	switch t.Kind {
	case vector.KindBool:
		bits := vector.NewBitmap(n)
		for i, v := range values {
			if v == true {
				bits.Set(i)
			}
		}
		return vector.NewBool(bits, n, valid), nil
	case vector.KindByte:
		return integers[int8](t, values, valid)
	case vector.KindShort:
		return integers[int16](t, values, valid)
	case vector.KindInt, vector.KindYearMonthInterval:
		return integers[int32](t, values, valid)
	case vector.KindLong, vector.KindDayTimeInterval:
		return integers[int64](t, values, valid)
	case vector.KindFloat:
		return floats[float32](t, values, valid)
	case vector.KindDouble:
		return floats[float64](t, values, valid)
	case vector.KindString, vector.KindBinary:
		return texts(t, values, valid)
	case vector.KindArray, vector.KindMap:
		return lists(t, values, valid)
	case vector.KindStruct:
		cols := make([]arrow.Array, len(t.Fields))
		for j, f := range t.Fields {
			field := make([]any, n)
			for i, v := range values {
				if v == nil {
					continue
				}
				fields, ok := v.([]any)
				if !ok || len(fields) != len(t.Fields) {
					return nil, badValue(t, v)
				}
				field[i] = fields[j]
			}
			var err error
			if cols[j], err = column(f.Type, field); err != nil {
				return nil, err
			}
		}
		return vector.NewStruct(t, cols, n, valid), nil
	}
	// Decimals, dates and timestamps are written as a cast from string reads them.
	text, err := texts(vector.String, values, valid)
	if err != nil {
		return nil, err
	}
	return kernels.CastArray(&kernels.Ctx{Zone: time.UTC, ANSI: true}, text, vector.String, t, kernels.CastANSI)
}

func badValue(t *vector.Type, v any) error { return fmt.Errorf("%v is no %s", v, t) }

func integers[T int8 | int16 | int32 | int64](t *vector.Type, values []any, valid vector.Bitmap) (arrow.Array, error) {
	out := make([]T, len(values))
	for i, v := range values {
		if v == nil {
			continue
		}
		x, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
		if err != nil || int64(T(x)) != x {
			return nil, badValue(t, v)
		}
		out[i] = T(x)
	}
	return vector.NewFixed(t, out, valid), nil
}

func floats[T float32 | float64](t *vector.Type, values []any, valid vector.Bitmap) (arrow.Array, error) {
	out := make([]T, len(values))
	for i, v := range values {
		if v == nil {
			continue
		}
		x, err := strconv.ParseFloat(fmt.Sprint(v), 64) // NaN and Infinity too
		if err != nil {
			return nil, badValue(t, v)
		}
		out[i] = T(x)
	}
	return vector.NewFixed(t, out, valid), nil
}

func texts(t *vector.Type, values []any, valid vector.Bitmap) (arrow.Array, error) {
	off := make([]int32, 1, len(values)+1)
	var data []byte
	for _, v := range values {
		if v != nil {
			s, ok := v.(string)
			if !ok {
				return nil, badValue(t, v)
			}
			if t.Kind == vector.KindBinary {
				raw, err := base64.StdEncoding.DecodeString(s)
				if err != nil {
					return nil, badValue(t, v)
				}
				s = string(raw)
			}
			data = append(data, s...)
		}
		off = append(off, int32(len(data)))
	}
	return vector.NewString(t, off, data, valid), nil
}

// lists builds arrays, and maps, which are arrays of [key, value].
func lists(t *vector.Type, values []any, valid vector.Bitmap) (arrow.Array, error) {
	var elems, keys []any
	off := []int32{0}
	for _, v := range values {
		list, ok := v.([]any)
		if v != nil && !ok {
			return nil, badValue(t, v)
		}
		for _, e := range list {
			if t.Kind == vector.KindMap {
				entry, ok := e.([]any)
				if !ok || len(entry) != 2 {
					return nil, badValue(t, v)
				}
				keys = append(keys, entry[0])
				e = entry[1]
			}
			elems = append(elems, e)
		}
		off = append(off, int32(len(elems)))
	}
	child, err := column(t.Elem, elems)
	if err != nil {
		return nil, err
	}
	if t.Kind == vector.KindArray {
		return vector.NewList(t, off, child, valid), nil
	}
	k, err := column(t.Key, keys)
	if err != nil {
		return nil, err
	}
	return vector.NewMap(t, off, k, child, valid), nil
}
