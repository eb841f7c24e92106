package plan_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/vector"
)

// oracleInput is a table of inputs.json.
type oracleInput struct {
	batch *vector.Batch
}

func readInputs(t *testing.T) oracleCatalog {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(expressionsDir, "inputs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string]struct {
		Schema string
		Rows   [][]any
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&tables); err != nil {
		t.Fatal(err)
	}
	out := oracleCatalog{}
	for name, table := range tables {
		schema, err := plan.ParseSchema(table.Schema)
		if err != nil {
			t.Fatal(err)
		}
		in := &oracleInput{}
		cols := make([]arrow.Array, schema.Len())
		for i, f := range schema.Fields {
			values := make([]any, len(table.Rows))
			for j, r := range table.Rows {
				values[j] = r[i]
			}
			cols[i] = columnOf(f.Type, values)
		}
		in.batch = vector.NewBatch(schema, cols, len(table.Rows))
		out[name] = in
	}
	return out
}

// columnOf builds a column from values in canonical JSON.
func columnOf(t *vector.Type, values []any) arrow.Array {
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
		return vector.NewBool(bits, n, valid)
	case vector.KindByte:
		return vector.NewFixed(t, integers[int8](values), valid)
	case vector.KindShort:
		return vector.NewFixed(t, integers[int16](values), valid)
	case vector.KindInt, vector.KindYearMonthInterval:
		return vector.NewFixed(t, integers[int32](values), valid)
	case vector.KindLong, vector.KindDayTimeInterval:
		return vector.NewFixed(t, integers[int64](values), valid)
	case vector.KindFloat:
		return vector.NewFixed(t, floats[float32](values), valid)
	case vector.KindDouble:
		return vector.NewFixed(t, floats[float64](values), valid)
	case vector.KindString, vector.KindBinary:
		return textColumn(t, values, valid)
	case vector.KindArray:
		var elems []any
		off := []int32{0}
		for _, v := range values {
			list, _ := v.([]any)
			elems = append(elems, list...)
			off = append(off, int32(len(elems)))
		}
		return vector.NewList(t, off, columnOf(t.Elem, elems), valid)
	case vector.KindMap:
		var keys, vals []any
		off := []int32{0}
		for _, v := range values {
			entries, _ := v.([]any)
			for _, e := range entries {
				keys, vals = append(keys, e.([]any)[0]), append(vals, e.([]any)[1])
			}
			off = append(off, int32(len(keys)))
		}
		return vector.NewMap(t, off, columnOf(t.Key, keys), columnOf(t.Elem, vals), valid)
	case vector.KindStruct:
		cols := make([]arrow.Array, len(t.Fields))
		for j, f := range t.Fields {
			field := make([]any, n)
			for i, v := range values {
				if v != nil {
					field[i] = v.([]any)[j]
				}
			}
			cols[j] = columnOf(f.Type, field)
		}
		return vector.NewStruct(t, cols, n, valid)
	}
	// Decimals, dates and timestamps are written as a cast from string reads them.
	ctx := &kernels.Ctx{Zone: time.UTC, ANSI: true}
	out, err := kernels.CastArray(ctx, textColumn(vector.String, values, valid), vector.String, t, kernels.CastANSI)
	if err != nil {
		panic(err)
	}
	return out
}

func integers[T int8 | int16 | int32 | int64](values []any) []T {
	out := make([]T, len(values))
	for i, v := range values {
		if n, ok := v.(json.Number); ok {
			x, err := n.Int64()
			if err != nil {
				panic(err)
			}
			out[i] = T(x)
		}
	}
	return out
}

func floats[T float32 | float64](values []any) []T {
	out := make([]T, len(values))
	for i, v := range values {
		if v != nil {
			out[i] = T(floatOf(v))
		}
	}
	return out
}

// floatOf reads a number, "NaN", "Infinity" or "-Infinity".
func floatOf(v any) float64 {
	x, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil {
		panic(err)
	}
	return x
}

func textColumn(t *vector.Type, values []any, valid vector.Bitmap) arrow.Array {
	off := make([]int32, 1, len(values)+1)
	var data []byte
	for _, v := range values {
		if v != nil {
			s := []byte(v.(string))
			if t.Kind == vector.KindBinary {
				var err error
				if s, err = base64.StdEncoding.DecodeString(v.(string)); err != nil {
					panic(err)
				}
			}
			data = append(data, s...)
		}
		off = append(off, int32(len(data)))
	}
	return vector.NewString(t, off, data, valid)
}

func valuesOf(t *vector.Type, a arrow.Array) []any {
	out := make([]any, a.Len())
	for i := range out {
		out[i] = kernels.ValueAt(t, a, i)
	}
	return out
}

// sameValue compares a value in canonical JSON with one that kernels.ValueAt read.
func sameValue(t *vector.Type, want, got any, tol float64) bool {
	if want == nil || got == nil {
		return want == nil && got == nil
	}
	switch t.Kind {
	case vector.KindFloat, vector.KindDouble:
		w, g := floatOf(want), got.(float64)
		if t.Kind == vector.KindFloat {
			w = float64(float32(w))
		}
		if tol > 0 && math.Abs(w-g) <= tol*math.Max(math.Abs(w), math.Abs(g)) {
			return true
		}
		return math.Float64bits(w) == math.Float64bits(g) || math.IsNaN(w) && math.IsNaN(g)
	case vector.KindBinary, vector.KindVariant:
		b, ok := got.([]byte)
		return ok && want == base64.StdEncoding.EncodeToString(b)
	case vector.KindArray, vector.KindStruct:
		w, g := want.([]any), got.([]any)
		if len(w) != len(g) {
			return false
		}
		for i := range w {
			e := t.Elem
			if t.Kind == vector.KindStruct {
				e = t.Fields[i].Type
			}
			if !sameValue(e, w[i], g[i], tol) {
				return false
			}
		}
		return true
	case vector.KindMap:
		return sameMap(t, want.([]any), got.([][2]any), tol)
	}
	return fmt.Sprint(want) == fmt.Sprint(got)
}

// sameMap compares entries without regard to their order.
func sameMap(t *vector.Type, want []any, got [][2]any, tol float64) bool {
	if len(want) != len(got) {
		return false
	}
	rest := slices.Clone(got)
	for _, w := range want {
		entry := w.([]any)
		i := slices.IndexFunc(rest, func(g [2]any) bool {
			return sameValue(t.Key, entry[0], g[0], tol) && sameValue(t.Elem, entry[1], g[1], tol)
		})
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return strings.TrimSpace(fmt.Sprint(v))
	}
	return string(b)
}
