package expr

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/vector"
)

// result is what a case gave here.
type result struct {
	typ  *vector.Type // of the value, or of a row of several
	name string
	row  *vector.Type // of rows
	rows []any        // as kernels.ValueAt reads them
	err  error
}

// diff is what differs from an outcome; "" if nothing does. strict compares names,
// message parameters and positions too.
func (o *Outcome) diff(got *result, ordered, strict bool) string {
	if o.Error != nil {
		return o.Error.diff(got, strict)
	}
	switch {
	case got.err != nil:
		return "want " + o.Type + ", got error " + got.err.Error()
	case got.typ.String() != o.Type:
		return "type: want " + o.Type + ", got " + got.typ.String()
	case strict && o.Name != "" && got.name != o.Name:
		return "name: want " + o.Name + ", got " + got.name
	case o.TypeOnly:
		return ""
	case len(got.rows) != len(o.Rows):
		return fmt.Sprintf("want %d rows, got %d: %s", len(o.Rows), len(got.rows), text(got.rows))
	}
	if !ordered {
		return o.unordered(got)
	}
	for i, want := range o.Rows {
		if !same(got.row, want, got.rows[i], o.Tol) {
			return fmt.Sprintf("row %d: want %s, got %s", i, text(want), text(got.rows[i]))
		}
	}
	return ""
}

// unordered compares rows as multisets.
func (o *Outcome) unordered(got *result) string {
	rest := slices.Clone(got.rows)
	for _, want := range o.Rows {
		i := slices.IndexFunc(rest, func(r any) bool { return same(got.row, want, r, o.Tol) })
		if i < 0 {
			return fmt.Sprintf("want row %s, got %s", text(want), text(rest))
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return ""
}

func (f *Failure) diff(got *result, strict bool) string {
	if got.err == nil {
		return "want error " + f.Condition + ", got " + got.typ.String() + " " + text(got.rows)
	}
	return f.Diff(got.err, strict)
}

// Diff is what differs between Spark's error and ours; "" if nothing does. Any error is
// right where Spark's own has no condition on which a user could rely. strict compares
// parameters and positions too.
func (f *Failure) Diff(err error, strict bool) string {
	if f.Condition == "" || f.Condition == "INTERNAL_ERROR" || strings.HasPrefix(f.Condition, "_LEGACY_ERROR_TEMP_") {
		return ""
	}
	var e *condition.Error
	if !errors.As(err, &e) || e.Name != f.Condition || f.SQLState != "" && e.SQLState != f.SQLState {
		return "want error " + f.Condition + " " + f.SQLState + ", got " + err.Error()
	}
	if !strict {
		return ""
	}
	for k, v := range f.Params {
		if k != "config" && e.Params[k] != v {
			return fmt.Sprintf("error %s: parameter %s: want %s, got %s", e.Name, k, v, e.Params[k])
		}
	}
	return f.positionDiff(e)
}

// positionDiff compares positions. Ours may be narrower than Spark's, which is the
// whole query for some errors.
func (f *Failure) positionDiff(e *condition.Error) string {
	placed := f.Context != nil && f.Context.Start >= 0
	switch {
	case !placed && f.Line == 0:
		return ""
	case e.Pos == nil:
		return "error " + e.Name + ": no position"
	case placed:
		start := utf8.RuneCountInString(e.Pos.Text[:e.Pos.Offset])
		stop := utf8.RuneCountInString(e.Pos.Text[:e.Pos.End]) - 1
		if start < f.Context.Start || stop > f.Context.Stop {
			return fmt.Sprintf("error %s: position: want %d..%d, got %d..%d", e.Name, f.Context.Start, f.Context.Stop, start, stop)
		}
		return ""
	}
	before := e.Pos.Text[:e.Pos.Offset]
	line := 1 + strings.Count(before, "\n")
	pos := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	if line != f.Line || pos != f.Pos {
		return fmt.Sprintf("error %s: position: want line %d, pos %d, got line %d, pos %d", e.Name, f.Line, f.Pos, line, pos)
	}
	return ""
}

// same compares a value in canonical JSON with one that kernels.ValueAt read.
func same(t *vector.Type, want, got any, tol float64) bool {
	if want == nil || got == nil {
		return want == nil && got == nil
	}
	switch t.Kind {
	case vector.KindFloat, vector.KindDouble:
		w, err := strconv.ParseFloat(fmt.Sprint(want), 64)
		return err == nil && sameFloat(t, w, got.(float64), tol)
	case vector.KindBinary, vector.KindVariant:
		b, ok := got.([]byte)
		return ok && want == base64.StdEncoding.EncodeToString(b)
	case vector.KindTime:
		return want == nanoseconds(fmt.Sprint(got))
	case vector.KindArray, vector.KindStruct:
		w, ok := want.([]any)
		g := got.([]any)
		if !ok || len(w) != len(g) {
			return false
		}
		for i := range w {
			e := t.Elem
			if t.Kind == vector.KindStruct {
				e = t.Fields[i].Type
			}
			if !same(e, w[i], g[i], tol) {
				return false
			}
		}
		return true
	case vector.KindMap:
		w, ok := want.([]any)
		return ok && sameMap(t, w, got.([][2]any), tol)
	}
	return fmt.Sprint(want) == fmt.Sprint(got)
}

func sameFloat(t *vector.Type, want, got, tol float64) bool {
	if t.Kind == vector.KindFloat {
		want = float64(float32(want))
	}
	if tol > 0 && math.Abs(want-got) <= tol*max(math.Abs(want), math.Abs(got)) {
		return true
	}
	return math.Float64bits(want) == math.Float64bits(got) || math.IsNaN(want) && math.IsNaN(got)
}

// nanoseconds is a time of day with nine digits of the second.
func nanoseconds(s string) string {
	whole, fraction, _ := strings.Cut(s, ".")
	return whole + "." + fraction + strings.Repeat("0", max(9-len(fraction), 0))
}

// sameMap compares entries without regard to their order.
func sameMap(t *vector.Type, want []any, got [][2]any, tol float64) bool {
	if len(want) != len(got) {
		return false
	}
	rest := slices.Clone(got)
	for _, w := range want {
		entry, ok := w.([]any)
		if !ok || len(entry) != 2 {
			return false
		}
		i := slices.IndexFunc(rest, func(g [2]any) bool {
			return same(t.Key, entry[0], g[0], tol) && same(t.Elem, entry[1], g[1], tol)
		})
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}

// maxText bounds the values that a difference shows, in bytes.
const maxText = 400

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // NaN or an infinity
		b = fmt.Append(nil, v)
	}
	if len(b) > maxText {
		return string(b[:maxText]) + "…"
	}
	return string(b)
}
