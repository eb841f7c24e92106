package job

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/vstream/vstream/condition"
)

// Read reads a job file. Every problem is a VSTREAM_JOB_FILE condition with the
// position in the file.
func Read(path string) (*Job, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, condition.IO(err, "read", path)
	}
	return Parse(path, data)
}

// Parse reads the text of a job file; file is its name for messages.
func Parse(file string, data []byte) (*Job, error) {
	r := &reader{file: file, src: string(data)}
	return guarded(r, func() *Job {
		return r.job(r.document(data))
	})
}

// guarded runs a walk and gives the problem that ended it.
func guarded[T any](r *reader, fn func() T) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(*condition.Error)
			if !ok {
				panic(p)
			}
			err = e
		}
	}()
	return fn(), nil
}

// document is the one YAML document of a text.
func (r *reader) document(data []byte) ast.Node {
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		at := Place{Line: 1, Column: 1}
		message := err.Error()
		if serr, ok := err.(yaml.Error); ok {
			message = serr.GetMessage()
			if t := serr.GetToken(); t != nil {
				at = Place{Line: t.Position.Line, Column: t.Position.Column}
			}
		}
		r.fail(at, "", "not valid YAML: %s", message)
	}
	if len(f.Docs) == 0 || f.Docs[0].Body == nil {
		r.fail(Place{Line: 1, Column: 1}, "a job has sources and queries", "the file is empty")
	}
	return f.Docs[0].Body
}

// errorAt makes the condition of a problem at a place.
func (r *reader) errorAt(at Place, hint, format string, args ...any) *condition.Error {
	e := condition.New("VSTREAM_JOB_FILE", "detail", fmt.Sprintf(format, args...))
	e.WithPos(position(r.file, r.src, at))
	e.Hint = hint
	return e
}

func (r *reader) job(n ast.Node) *Job {
	j := &Job{File: r.file, Conf: map[string]string{}, confAt: map[string]Place{}, src: r.src}
	r.fields(n, "the job", map[string]func(e entry){
		"conf": func(e entry) {
			j.Conf = r.options(e)
			for _, o := range r.mapping(e.value, "conf") {
				j.confAt[o.key] = o.at
			}
		},
		"sources": func(e entry) {
			for _, s := range r.mapping(e.value, "sources") {
				j.Sources = append(j.Sources, r.source(s))
			}
		},
		"views": func(e entry) {
			for _, v := range r.mapping(e.value, "views") {
				j.Views = append(j.Views, r.view(v))
			}
		},
		"queries": func(e entry) {
			for _, q := range r.mapping(e.value, "queries") {
				j.Queries = append(j.Queries, r.query(q))
			}
		},
	})
	return j
}

func (r *reader) source(e entry) *Source {
	s := &Source{Name: e.key, At: e.at, Options: map[string]string{}}
	what := "source " + e.key
	r.fields(e.value, what, map[string]func(e entry){
		"format":    func(e entry) { s.Format = r.scalar(e) },
		"options":   func(e entry) { s.Options = r.options(e) },
		"schema":    func(e entry) { s.Schema = r.text(e) },
		"watermark": func(e entry) { s.Watermark = r.watermark(e) },
		"static":    func(e entry) { s.Static = r.boolean(e) },
		"name":      func(e entry) { s.SourceName = r.scalar(e) },
	})
	if s.Format == "" {
		r.fail(e.at, "", "%s has no format", what)
	}
	return s
}

func (r *reader) watermark(e entry) *Watermark {
	w := &Watermark{At: e.at}
	r.fields(e.value, "watermark", map[string]func(e entry){
		"column": func(e entry) { w.Column = r.scalar(e) },
		"delay":  func(e entry) { w.Delay = r.scalar(e) },
	})
	if w.Column == "" || w.Delay == "" {
		r.fail(e.at, "", "watermark needs a column and a delay")
	}
	return w
}

func (r *reader) view(e entry) *View {
	v := &View{Name: e.key, At: e.at}
	what := "view " + e.key
	r.fields(e.value, what, map[string]func(e entry){
		"sql":    func(e entry) { v.SQL = r.text(e) },
		"from":   func(e entry) { v.From = r.scalar(e) },
		"filter": func(e entry) { v.Filter = r.text(e) },
		"select": func(e entry) {
			for _, n := range r.items(e) {
				v.Select = append(v.Select, r.text(entry{key: e.key, at: place(n), value: n}))
			}
		},
		"dropDuplicates":     func(e entry) { v.DropDuplicates, v.DuplicateKeys = true, r.list(e) },
		"withinWatermark":    func(e entry) { v.WithinWatermark = r.boolean(e) },
		"transformWithState": func(e entry) { v.Process = r.process(e) },
		"watermark":          func(e entry) { v.Watermark = r.watermark(e) },
	})
	if (v.SQL.Value == "") == (v.From == "") {
		r.fail(e.at, "", "%s needs either sql or from", what)
	}
	return v
}

// process keeps the keys of transformWithState; lists are joined by commas.
func (r *reader) process(e entry) map[string]string {
	out := map[string]string{}
	for _, o := range r.mapping(e.value, "transformWithState") {
		out[o.key] = strings.Join(r.list(o), ", ")
	}
	return out
}

func (r *reader) query(e entry) *Query {
	q := &Query{Name: e.key, At: e.at, Options: map[string]string{}, FailAtBatch: -1}
	what := "query " + e.key
	r.fields(e.value, what, map[string]func(e entry){
		"sql":                func(e entry) { q.SQL = r.text(e) },
		"outputMode":         func(e entry) { q.OutputMode = r.scalar(e) },
		"trigger":            func(e entry) { q.Trigger = r.trigger(e) },
		"checkpointLocation": func(e entry) { q.Checkpoint = r.scalar(e) },
		"sink":               func(e entry) { q.Sink = r.sink(e) },
		"late":               func(e entry) { q.Late = r.sink(e) },
		"options":            func(e entry) { q.Options = r.options(e) },
		"ordered":            func(e entry) { q.Ordered = r.boolean(e) },
		"failAtBatch": func(e entry) {
			n, err := strconv.Atoi(r.scalar(e))
			if err != nil {
				r.fail(e.at, "", "failAtBatch must be a number")
			}
			q.FailAtBatch = n
		},
	})
	if q.SQL.Value == "" {
		r.fail(e.at, "", "%s has no sql", what)
	}
	return q
}

// triggers are the kinds of triggers, by key.
var triggers = []string{"processingTime", "once", "availableNow", "continuous", "realTime"}

func (r *reader) trigger(e entry) *Trigger {
	entries := r.mapping(e.value, "trigger")
	if len(entries) == 0 {
		return nil
	}
	if len(entries) > 1 {
		r.fail(entries[1].at, "", "a query has one trigger")
	}
	t := &Trigger{At: entries[0].at}
	known := map[string]func(e entry){}
	for _, k := range triggers {
		known[k] = func(e entry) { t.Kind, t.Interval = e.key, r.scalar(e) }
	}
	r.fields(e.value, "trigger", known)
	return t
}

func (r *reader) sink(e entry) *Sink {
	s := &Sink{Options: map[string]string{}, At: e.at}
	beside := map[string]string{}
	known := map[string]func(e entry){
		"format":      func(e entry) { s.Format = r.scalar(e) },
		"options":     func(e entry) { s.Options = r.options(e) },
		"partitionBy": func(e entry) { s.PartitionBy = r.list(e) },
		"readSchema":  func(e entry) { s.ReadSchema = r.scalar(e) },
	}
	for _, k := range []string{"path", "topic", "table"} {
		known[k] = func(e entry) { beside[k] = r.scalar(e) }
	}
	r.fields(e.value, e.key, known)
	for k, v := range beside {
		s.Options[k] = v
	}
	if s.Format == "" {
		r.fail(e.at, "", "%s has no format", e.key)
	}
	return s
}
