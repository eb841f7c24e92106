package job

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"github.com/vstream/vstream/condition"
)

// Scenario is one scenario file: a job and what happens to it, step by step. The
// format is described in conformance/FORMAT.md.
type Scenario struct {
	File        string
	Description string
	Divergence  string // why the golden of Spark is not what counts
	MustRefuse  bool   // the change in a divergent scenario is to be refused
	Steps       []*Step

	job Definition
}

// The kinds of steps.
const (
	StepAdd         = "add"
	StepRun         = "run"
	StepRestart     = "restart"
	StepCrash       = "crash"
	StepRemove      = "rm"
	StepRepartition = "repartition"
	StepReadState   = "read-state"
	StepCheckpoint  = "checkpoint"
	StepSleep       = "sleep"
)

// Step is one step.
type Step struct {
	Kind    string
	At      Place
	Add     []Rows            // add
	Args    map[string]string // crash: query, at; checkpoint and repartition: query and more; read-state: query, format
	Options map[string]string // read-state: of the source
	Select  []string          // read-state: the expressions that are read, all columns if there are none
	Paths   []string          // rm
	Wait    float64           // sleep: seconds
	patch   ast.Node
	replace *Definition // restart: another job altogether
}

// Rows are lines for one source.
type Rows struct {
	Source  string
	Lines   []string
	Objects bool // some rows are JSON objects, not lines as they stand
}

// Changes tells whether a restart step changes the job.
func (s *Step) Changes() bool { return s.Kind == StepRestart && s.patch != nil }

// ReadScenario reads a scenario file. Problems are VSTREAM_JOB_FILE conditions.
func ReadScenario(path string) (*Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, condition.IO(err, "read", path)
	}
	return ParseScenario(path, data)
}

// ParseScenario reads the text of a scenario file; a job that it names by path is
// looked for beside file.
func ParseScenario(file string, data []byte) (*Scenario, error) {
	r := &reader{file: file, src: string(data)}
	return guarded(r, func() *Scenario {
		s := &Scenario{File: file}
		r.fields(r.document(data), "the scenario", map[string]func(e entry){
			"description": func(e entry) { s.Description = r.raw(e.value, e.key, e.at) },
			"divergence":  func(e entry) { s.Divergence = r.raw(e.value, e.key, e.at) },
			"seed":        func(entry) {},
			"must": func(e entry) {
				if r.scalar(e) != "refuse" {
					r.fail(e.at, "", "must can only be refuse")
				}
				s.MustRefuse = true
			},
			"job": func(e entry) { s.job = r.definition(e) },
			"steps": func(e entry) {
				for _, n := range r.items(e) {
					s.Steps = append(s.Steps, r.step(n))
				}
			},
		})
		if s.job.node == nil {
			r.fail(Place{Line: 1, Column: 1}, "", "the scenario has no job")
		}
		return s
	})
}

// definition is an inline job, or that of a job file.
func (r *reader) definition(e entry) Definition {
	if n, ok := unwrap(e.value).(*ast.StringNode); ok {
		path := n.Value
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(r.file), path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			r.fail(e.at, "", "the job cannot be read: %s", err)
		}
		other := &reader{file: path, src: string(data)}
		return Definition{r: other, node: other.document(data), External: path}
	}
	return Definition{r: r, node: e.value}
}

func (r *reader) step(n ast.Node) *Step {
	s := &Step{At: place(n), Args: map[string]string{}}
	if word, ok := unwrap(n).(*ast.StringNode); ok {
		if word.Value != StepRun {
			r.fail(s.At, "", "unknown step %s", word.Value)
		}
		s.Kind = StepRun
		return s
	}
	entries := r.mapping(n, "step")
	if len(entries) != 1 {
		r.fail(s.At, "", "a step has one key")
	}
	s.Kind = entries[0].key
	args := func(keys ...string) func(e entry) {
		known := map[string]func(e entry){}
		for _, k := range keys {
			known[k] = func(e entry) { s.Args[e.key] = r.loose(e) }
		}
		return func(e entry) {
			if _, ok := unwrap(e.value).(*ast.StringNode); ok && s.Kind == StepCrash {
				s.Args["at"] = r.scalar(e)
				return
			}
			r.fields(e.value, s.Kind, known)
		}
	}
	r.fields(n, "step", map[string]func(e entry){
		StepRun: func(entry) {},
		StepAdd: func(e entry) { s.Add = r.rows(e) },
		StepRestart: func(e entry) {
			if len(r.mapping(e.value, e.key)) > 0 {
				s.patch = e.value
			}
		},
		StepCrash:       args("query", "at"),
		StepRemove:      func(e entry) { s.Paths = r.list(e) },
		StepRepartition: args("query", "partitions", "enforceExactlyOnceSink"),
		StepReadState: func(e entry) {
			r.fields(e.value, s.Kind, map[string]func(e entry){
				"query":   func(e entry) { s.Args[e.key] = r.scalar(e) },
				"format":  func(e entry) { s.Args[e.key] = r.scalar(e) },
				"options": func(e entry) { s.Options = r.options(e) },
				"select":  func(e entry) { s.Select = r.list(e) },
			})
		},
		StepCheckpoint: args("query"),
		StepSleep: func(e entry) {
			var err error
			if s.Wait, err = strconv.ParseFloat(r.scalar(e), 64); err != nil {
				r.fail(e.at, "", "sleep takes seconds")
			}
		},
	})
	return s
}

// loose is a scalar, or the source text of something larger.
func (r *reader) loose(e entry) string {
	switch unwrap(e.value).(type) {
	case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode:
		return e.value.String()
	}
	return r.scalar(e)
}

func (r *reader) rows(e entry) []Rows {
	var out []Rows
	for _, src := range r.mapping(e.value, "add") {
		rows := Rows{Source: src.key}
		for _, n := range r.items(src) {
			switch unwrap(n).(type) {
			case *ast.StringNode, *ast.LiteralNode:
				rows.Lines = append(rows.Lines, r.raw(n, src.key, src.at))
			default:
				rows.Objects = true
				rows.Lines = append(rows.Lines, string(r.appendJSON(nil, n)))
			}
		}
		out = append(out, rows)
	}
	return out
}

// Definition is a job as written, which restarts may change.
type Definition struct {
	// External is the path of the job file, "" for a job within the scenario.
	External string
	r        *reader
	node     ast.Node
	patched  bool
}

// Definition is the job at the start of the scenario.
func (s *Scenario) Definition() Definition { return s.job }

// Patch is the definition after a restart step: an RFC 7386 merge patch.
func (d Definition) Patch(s *Step) Definition {
	if s.replace != nil {
		return *s.replace
	}
	if s.patch != nil {
		d.node, d.patched = merge(d.node, s.patch), true
	}
	return d
}

// Job reads the definition. A patched job file has no positions: its parts come
// from two files.
func (d Definition) Job() (*Job, error) {
	r := d.r
	if d.External != "" && d.patched {
		r = &reader{file: d.External}
	}
	return guarded(r, func() *Job { return r.job(d.node) })
}

// Undo is the scenario up to step end, followed by a restart that takes the change
// of one of its restart steps back, and a run.
func (s *Scenario) Undo(change, end int) *Scenario {
	before := s.job
	for _, step := range s.Steps[:change] {
		before = before.Patch(step)
	}
	out := *s
	out.Steps = append(append([]*Step(nil), s.Steps[:end+1]...),
		&Step{Kind: StepRestart, replace: &before}, &Step{Kind: StepRun})
	return &out
}
