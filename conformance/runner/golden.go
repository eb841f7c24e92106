package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/vstream/vstream/condition"
)

// Golden is what a scenario must give: the format of conformance/FORMAT.md.
type Golden struct {
	Spark    string   `json:"spark,omitempty"` // the Spark version that recorded it; "" if it is ours
	Scenario string   `json:"scenario"`
	Runs     []Record `json:"runs"`
}

// Record is what one step gave: a run, or a look at the checkpoint.
type Record struct {
	Step       int
	Queries    []QueryRecord // run
	Checkpoint any           // checkpoint: a value
	Schema     string        // read-state
	Rows       []any
	OK         bool // repartition
	Error      *Failure
}

// QueryRecord is what one run gave for one query.
type QueryRecord struct {
	Name    string
	Schema  string
	Batches []Batch
	Table   *Table // in the sink
	Late    *Table // in the late sink
	Error   *Failure
}

// Batch is one micro-batch.
type Batch struct {
	ID           int64       `json:"batchId"`
	Rows         []any       `json:"rows"` // nil if they were not captured
	Incomplete   bool        `json:"incomplete,omitempty"`
	NumInputRows int64       `json:"numInputRows"`
	Watermark    *string     `json:"watermark"`
	Operators    []Operators `json:"stateOperators"` // nil: not to be compared
}

// Operators are the counts of one stateful operator.
type Operators struct {
	Name    string `json:"operatorName"`
	Total   int64  `json:"numRowsTotal"`
	Updated int64  `json:"numRowsUpdated"`
	Removed int64  `json:"numRowsRemoved"`
	Dropped int64  `json:"numRowsDroppedByWatermark"`
}

// Table is what a file or memory sink holds, or why it cannot be read.
type Table struct {
	Rows  []any
	Error *Failure
}

// Failure is an error and where it came up.
type Failure struct {
	Phase     string  `json:"phase"`
	Condition *string `json:"condition"`
	SQLState  *string `json:"sqlState"`
	Class     string  `json:"class,omitempty"`
	Message   string  `json:"message"`
}

// failure records an error of this engine.
func failure(err error, phase string) *Failure {
	e := condition.As(err)
	f := &Failure{Phase: phase, Condition: &e.Name, Message: e.Message}
	if e.SQLState != "" {
		f.SQLState = &e.SQLState
	}
	return f
}

// name is the condition for messages.
func (f *Failure) name() string {
	switch {
	case f == nil:
		return "no error"
	case f.Condition == nil:
		return "refused (" + f.Class + ")"
	}
	return *f.Condition
}

// ReadGolden reads a golden file.
func ReadGolden(path string) (*Golden, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, condition.IO(err, "read", path)
	}
	g := &Golden{}
	if err := json.Unmarshal(data, g); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// UnmarshalJSON reads a record, keeping the order of queries and columns.
func (r *Record) UnmarshalJSON(data []byte) error {
	v, err := parseValue(data)
	if err != nil {
		return err
	}
	for _, m := range v.(object) {
		switch m.name {
		case "step":
			err = decode(m.value, &r.Step)
		case "queries":
			for _, q := range m.value.(object) {
				rec := QueryRecord{Name: q.name}
				if err := rec.decode(q.value.(object)); err != nil {
					return err
				}
				r.Queries = append(r.Queries, rec)
			}
		case "checkpoint":
			r.Checkpoint = m.value
		case "schema":
			r.Schema = m.value.(string)
		case "rows":
			r.Rows = m.value.([]any)
		case "ok":
			r.OK = true
		case "error":
			err = decode(m.value, &r.Error)
		default:
			err = fmt.Errorf("unknown key %s", m.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (q *QueryRecord) decode(o object) (err error) {
	for _, m := range o {
		switch m.name {
		case "schema":
			q.Schema = m.value.(string)
		case "error":
			err = decode(m.value, &q.Error)
		case "table":
			q.Table, err = decodeTable(m.value)
		case "late":
			q.Late, err = decodeTable(m.value)
		case "batches":
			for _, b := range m.value.([]any) {
				var batch Batch
				var rest object
				for _, f := range b.(object) {
					if f.name == "rows" {
						batch.Rows, _ = f.value.([]any)
					} else {
						rest = append(rest, f)
					}
				}
				if err := decode(rest, &batch); err != nil {
					return err
				}
				q.Batches = append(q.Batches, batch)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func decodeTable(v any) (*Table, error) {
	t := &Table{}
	if rows, ok := v.([]any); ok {
		t.Rows = rows
		return t, nil
	}
	return t, decode(v.(object)[0].value, &t.Error)
}

// decode turns a value into a Go value by way of JSON.
func decode(v, out any) error {
	var b bytes.Buffer
	writeValue(&b, v, false)
	return json.Unmarshal(b.Bytes(), out)
}

// parseValue reads JSON with the order of keys kept.
func parseValue(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return readValue(d)
}

func readValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		out := []any{}
		for d.More() {
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		_, err := d.Token()
		return out, err
	case json.Delim('{'):
		out := object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			out = append(out, member{key.(string), v})
		}
		_, err := d.Token()
		return out, err
	}
	return t, nil
}

// Encode is the text of a golden file: a batch or row a line.
func (g *Golden) Encode() []byte {
	var b bytes.Buffer
	b.WriteString("{\n \"scenario\": ")
	writeText(&b, g.Scenario)
	b.WriteString(",\n \"runs\": [")
	for i, r := range g.Runs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  ")
		r.encode(&b)
	}
	b.WriteString("]\n}\n")
	return b.Bytes()
}

func (r *Record) encode(b *bytes.Buffer) {
	fmt.Fprintf(b, `{"step": %d`, r.Step)
	if r.Checkpoint != nil {
		b.WriteString(`, "checkpoint": `)
		writeValue(b, r.Checkpoint, false)
	}
	if r.OK {
		b.WriteString(`, "ok": true`)
	}
	if r.Queries != nil {
		b.WriteString(",\n   \"queries\": {")
		for i, q := range r.Queries {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n    ")
			writeText(b, q.Name)
			b.WriteString(": {")
			q.encode(b)
			b.WriteByte('}')
		}
		b.WriteString("}")
	}
	if r.Error != nil {
		b.WriteString(`, "error": ` + jsonText(r.Error))
	}
	b.WriteByte('}')
}

func (q *QueryRecord) encode(b *bytes.Buffer) {
	var parts []string
	if q.Schema != "" {
		parts = append(parts, "\n     \"schema\": "+jsonText(q.Schema))
	}
	if q.Batches != nil {
		lines := make([]string, len(q.Batches))
		for i, batch := range q.Batches {
			lines[i] = "\n      " + jsonText(batch)
		}
		parts = append(parts, "\n     \"batches\": ["+strings.Join(lines, ",")+"]")
	}
	parts = q.Table.encode(parts, "table")
	parts = q.Late.encode(parts, "late")
	if q.Error != nil {
		parts = append(parts, "\n     \"error\": "+jsonText(q.Error))
	}
	b.WriteString(strings.Join(parts, ","))
}

func (t *Table) encode(parts []string, name string) []string {
	if t == nil {
		return parts
	}
	if t.Error != nil {
		return append(parts, fmt.Sprintf("\n     %q: {\"error\": %s}", name, jsonText(t.Error)))
	}
	lines := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		lines[i] = "\n      " + jsonText(row)
	}
	return append(parts, fmt.Sprintf("\n     %q: [%s]", name, strings.Join(lines, ",")))
}

func jsonText(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("runner: " + err.Error()) // our own types
	}
	return strings.TrimSuffix(b.String(), "\n")
}
