package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/vstream/vstream/job"
)

// Tolerance is the relative difference of doubles that does not count.
const Tolerance = 1e-9

// differ collects the differences of one scenario.
type differ struct {
	ordered map[string]bool // queries whose rows have an order
	out     []string
}

func (d *differ) add(where, format string, args ...any) {
	d.out = append(d.out, where+": "+fmt.Sprintf(format, args...))
}

// compare lists what differs between the records of a golden and those of a run.
func compare(s *job.Scenario, want, got []Record) []string {
	d := &differ{ordered: orderedQueries(s)}
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			d.add(fmt.Sprintf("step %d", want[i].Step), "is missing")
		case i >= len(want):
			d.add(fmt.Sprintf("step %d", got[i].Step), "is not in the golden")
		default:
			d.record(&want[i], &got[i])
		}
	}
	return d.out
}

func orderedQueries(s *job.Scenario) map[string]bool {
	out := map[string]bool{}
	def := s.Definition()
	for i := -1; i < len(s.Steps); i++ {
		if i >= 0 {
			def = def.Patch(s.Steps[i])
		}
		if j, err := def.Job(); err == nil {
			for _, q := range j.Queries {
				out[q.Name] = out[q.Name] || q.Ordered
			}
		}
	}
	return out
}

func (d *differ) record(want, got *Record) {
	where := fmt.Sprintf("step %d", want.Step)
	if want.Step != got.Step {
		d.add(where, "the run has step %d here", got.Step)
		return
	}
	d.failure(where, want.Error, got.Error)
	if want.Error != nil || got.Error != nil {
		return
	}
	if want.Checkpoint != nil || got.Checkpoint != nil {
		d.value(where+" checkpoint", want.Checkpoint, got.Checkpoint)
	}
	if want.Schema != got.Schema {
		d.add(where, "schema\n  want %s\n  got  %s", want.Schema, got.Schema)
	}
	if want.Rows != nil || got.Rows != nil {
		d.rows(where, want.Rows, got.Rows, false)
	}
	queries := map[string]*QueryRecord{}
	for i := range got.Queries {
		queries[got.Queries[i].Name] = &got.Queries[i]
	}
	for i := range want.Queries {
		w := &want.Queries[i]
		if g := queries[w.Name]; g != nil {
			d.query(where+" query "+w.Name, w, g)
			delete(queries, w.Name)
		} else {
			d.add(where, "query %s is missing", w.Name)
		}
	}
	for name := range queries {
		d.add(where, "query %s is not in the golden", name)
	}
}

func (d *differ) query(where string, want, got *QueryRecord) {
	d.failure(where, want.Error, got.Error)
	if want.Error == nil && want.Schema != got.Schema && got.Error == nil {
		d.add(where, "schema\n  want %s\n  got  %s", want.Schema, got.Schema)
	}
	ids := func(batches []Batch) string {
		var out []string
		for _, b := range batches {
			id := fmt.Sprint(b.ID)
			if b.Incomplete {
				id += " (incomplete)"
			}
			out = append(out, id)
		}
		return "[" + strings.Join(out, " ") + "]"
	}
	if w, g := ids(want.Batches), ids(got.Batches); w != g {
		d.add(where, "batches\n  want %s\n  got  %s", w, g)
	}
	byID := map[int64]*Batch{}
	for i := range got.Batches {
		byID[got.Batches[i].ID] = &got.Batches[i]
	}
	for i := range want.Batches {
		if g := byID[want.Batches[i].ID]; g != nil {
			d.batch(fmt.Sprintf("%s batch %d", where, want.Batches[i].ID), &want.Batches[i], g, d.ordered[want.Name])
		}
	}
	d.table(where+" table", want.Table, got.Table)
	d.table(where+" late", want.Late, got.Late)
}

func (d *differ) batch(where string, want, got *Batch, ordered bool) {
	if want.Rows != nil || got.Rows != nil {
		d.rows(where, want.Rows, got.Rows, ordered)
	}
	if want.Incomplete || got.Incomplete {
		return
	}
	if want.NumInputRows != got.NumInputRows {
		d.add(where, "numInputRows want %d, got %d", want.NumInputRows, got.NumInputRows)
	}
	if w, g := jsonText(want.Watermark), jsonText(got.Watermark); w != g {
		d.add(where, "watermark want %s, got %s", w, g)
	}
	if want.Operators == nil || ordered {
		return
	}
	if len(want.Operators) != len(got.Operators) {
		d.add(where, "state operators\n  want %s\n  got  %s", jsonText(want.Operators), jsonText(got.Operators))
		return
	}
	for i, w := range want.Operators {
		g := got.Operators[i]
		g.Name = w.Name
		if w != g {
			d.add(where, "state operator %d\n  want %s\n  got  %s", i, jsonText(w), jsonText(g))
		}
	}
}

func (d *differ) table(where string, want, got *Table) {
	switch {
	case want == nil && got == nil:
	case want == nil || got == nil:
		d.add(where, "want %s, got %s", present(want), present(got))
	case want.Error != nil || got.Error != nil:
		d.failure(where, want.Error, got.Error)
	default:
		d.rows(where, want.Rows, got.Rows, false)
	}
}

func present(t *Table) string {
	if t == nil {
		return "none"
	}
	return fmt.Sprintf("%d rows", len(t.Rows))
}

// failure compares phase and condition; conditions without a public name count by
// their phase only.
func (d *differ) failure(where string, want, got *Failure) {
	switch {
	case want == nil && got == nil:
	case want == nil:
		d.add(where, "failed in %s: [%s] %s", got.Phase, got.name(), got.Message)
	case got == nil:
		d.add(where, "want %s in %s: %s\n  got no error", want.name(), want.Phase, want.Message)
	case want.Phase != got.Phase || want.named() && want.name() != got.name():
		d.add(where, "error\n  want %s in %s: %s\n  got  %s in %s: %s", want.name(), want.Phase, want.Message, got.name(), got.Phase, got.Message)
	}
}

// named tells whether the condition is one of Spark's public ones.
func (f *Failure) named() bool {
	return f.Condition != nil && !strings.HasPrefix(*f.Condition, "_LEGACY_ERROR_TEMP_")
}

// maxShownRows bounds the rows that a difference lists.
const maxShownRows = 8

// rows compares lists of rows, as multisets unless ordered.
func (d *differ) rows(where string, want, got []any, ordered bool) {
	if !ordered {
		want, got = append([]any(nil), want...), append([]any(nil), got...)
		sortRows(want)
		sortRows(got)
	}
	if len(want) == len(got) {
		same := true
		for i := range want {
			same = same && equal(want[i], got[i])
		}
		if same {
			return
		}
	}
	missing, extra := subtract(want, got), subtract(got, want)
	if len(missing) == 0 && len(extra) == 0 {
		d.add(where, "the rows have another order")
		return
	}
	var b strings.Builder
	list := func(sign string, rows []any) {
		for i, r := range rows {
			if i == maxShownRows {
				fmt.Fprintf(&b, "\n  %s … and %d more", sign, len(rows)-i)
				return
			}
			fmt.Fprintf(&b, "\n  %s %s", sign, text(r))
		}
	}
	list("-", missing)
	list("+", extra)
	d.add(where, "%d rows, want %d%s", len(got), len(want), b.String())
}

// subtract are the rows of a that have no equal in b, each row of b used once.
func subtract(a, b []any) []any {
	var out []any
	used := make([]bool, len(b))
next:
	for _, x := range a {
		for i, y := range b {
			if !used[i] && equal(x, y) {
				used[i] = true
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

func (d *differ) value(where string, want, got any) {
	if !equal(want, got) {
		d.add(where, "\n  want %s\n  got  %s", text(want), text(got))
	}
}

func text(v any) string {
	var b bytes.Buffer
	writeValue(&b, v, false)
	return b.String()
}

// equal compares values: numbers by value, doubles within Tolerance.
func equal(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		return ok && equalNumbers(x, y)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case object:
		y, ok := b.(object)
		return ok && equalObjects(x, y)
	}
	switch b.(type) {
	case json.Number, []any, object:
		return false
	}
	return a == b
}

func equalObjects(x, y object) bool {
	if len(x) != len(y) {
		return false
	}
	byName := func(o object) object {
		o = append(object(nil), o...)
		sort.Slice(o, func(i, j int) bool { return o[i].name < o[j].name })
		return o
	}
	x, y = byName(x), byName(y)
	for i := range x {
		if x[i].name != y[i].name || !equal(x[i].value, y[i].value) {
			return false
		}
	}
	return true
}

func equalNumbers(x, y json.Number) bool {
	if x == y {
		return true
	}
	if isInteger(x) && isInteger(y) {
		return false
	}
	a, errA := x.Float64()
	b, errB := y.Float64()
	return errA == nil && errB == nil && math.Abs(a-b) <= Tolerance*math.Max(math.Abs(a), math.Abs(b))
}
