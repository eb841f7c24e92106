package job

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vstream/vstream"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/plan"
)

// Opened is a job whose configuration is set and whose sources and views are named
// in a session. Nothing has been started.
type Opened struct {
	Job     *Job
	Session *vstream.Session
	dir     string
}

// Open makes a session of the job. Relative paths start from dir. Errors have a
// position in the job file.
func (j *Job) Open(dir string, opts ...vstream.Option) (*Opened, error) {
	s, err := vstream.New(append([]vstream.Option{vstream.WithDir(dir)}, opts...)...)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(j.Conf)) {
		if err := s.SetConf(key, j.Conf[key]); err != nil {
			return nil, j.in(err, j.confAt[key], "conf")
		}
	}
	o := &Opened{Job: j, Session: s, dir: dir}
	for _, src := range j.Sources {
		if err := o.source(src); err != nil {
			return nil, j.in(err, src.At, "source "+src.Name)
		}
	}
	for _, v := range j.Views {
		if err := o.view(v); err != nil {
			return nil, j.in(err, v.At, "view "+v.Name)
		}
	}
	return o, nil
}

// in locates an error in the file and says what of the job it is about.
func (j *Job) in(err error, at Place, where string) error {
	return condition.In(j.Locate(err, at), where)
}

func (o *Opened) source(src *Source) error {
	r := o.Session.Read(src.Format)
	if src.Static {
		r = o.Session.ReadStatic(src.Format)
	}
	for k, v := range src.Options {
		r.Option(k, v)
	}
	if src.SourceName != "" {
		r.Name(src.SourceName)
	}
	if src.Schema.Value != "" {
		r.Schema(src.Schema.Value)
	}
	t, err := r.Load()
	if err != nil {
		return err
	}
	if t, err = o.watermark(t, src.Watermark); err != nil {
		return err
	}
	return t.View(src.Name)
}

// watermark sets the watermark if there is one.
func (o *Opened) watermark(t *vstream.Table, w *Watermark) (*vstream.Table, error) {
	if w == nil {
		return t, nil
	}
	t, err := t.WithWatermark(w.Column, w.Delay)
	return t, o.Job.Locate(err, w.At)
}

// view makes a view: SQL or another table, filtered, projected, without duplicates.
// The watermark comes before the duplicates go, which need it, and last otherwise.
func (o *Opened) view(v *View) error {
	if v.Process != nil {
		return condition.New("VSTREAM_UNSUPPORTED", "feature", "transformWithState in a job file").
			WithHint("aggregations, joins and dropDuplicates keep state, too")
	}
	t, err := o.from(v)
	if err != nil {
		return err
	}
	if v.Filter.Value != "" {
		if t, err = t.Where(v.Filter.Value); err != nil {
			return o.Job.Locate(err, v.Filter.At)
		}
	}
	if len(v.Select) > 0 {
		exprs := make([]string, len(v.Select))
		for i, e := range v.Select {
			exprs[i] = e.Value
		}
		if t, err = t.Select(exprs...); err != nil {
			return o.Job.Locate(err, v.Select[0].At)
		}
	}
	if t, err = o.watermark(t, v.Watermark); err != nil {
		return err
	}
	if v.DropDuplicates {
		drop := t.DropDuplicates
		if v.WithinWatermark {
			drop = t.DropDuplicatesWithinWatermark
		}
		if t, err = drop(v.DuplicateKeys...); err != nil {
			return err
		}
	}
	return t.View(v.Name)
}

func (o *Opened) from(v *View) (*vstream.Table, error) {
	if v.SQL.Value == "" {
		return o.Session.Table(v.From)
	}
	t, err := o.Session.SQL(v.SQL.Value)
	return t, o.Job.Locate(err, v.SQL.At)
}

// Prepared is a query that has been analysed and can be started.
type Prepared struct {
	Name   string // of the running query: that of the job file unless it is changed
	Query  *Query
	Table  *vstream.Table
	Writer *vstream.Writer
	opened *Opened
}

// Prepare analyses one of the job's queries. A query without a sink prints to the
// console; the caller may set another one.
func (o *Opened) Prepare(q *Query) (*Prepared, error) {
	t, err := o.Session.SQL(q.SQL.Value)
	if err != nil {
		return nil, o.Job.in(err, q.SQL.At, "query "+q.Name)
	}
	w := t.Write().Mode(q.OutputMode).Checkpoint(q.Checkpoint)
	for k, v := range q.Options {
		w.Option(k, v)
	}
	if q.Sink == nil {
		w.Format("console")
	} else {
		w.Format(q.Sink.Format).PartitionBy(q.Sink.PartitionBy...)
		for k, v := range q.Sink.Options {
			w.Option(k, v)
		}
	}
	if q.Late != nil {
		w.Late(q.Late.Format, q.Late.Options, q.Late.PartitionBy...)
	}
	return &Prepared{Name: q.Name, Query: q, Table: t, Writer: w, opened: o}, nil
}

// Start checks the query and starts it. The errors are those that Spark gives in
// start().
func (p *Prepared) Start(ctx context.Context) (q *vstream.Query, err error) {
	err = p.ready(func(w *vstream.Writer) error {
		q, err = w.Start(ctx)
		return err
	})
	return q, err
}

// Validate does all checks of Start and starts nothing.
func (p *Prepared) Validate() error { return p.ready((*vstream.Writer).Validate) }

// Warnings are what the query may do but hardly means to.
func (p *Prepared) Warnings() (warnings []string, err error) {
	err = p.ready(func(w *vstream.Writer) error {
		warnings, err = w.Warnings()
		return err
	})
	return warnings, err
}

// Compare tells what has changed since the last run on the query's checkpoint, and whether
// the query would start.
func (p *Prepared) Compare(ctx context.Context) (c *vstream.Comparison, err error) {
	err = p.ready(func(w *vstream.Writer) error {
		c, err = w.Compare(ctx)
		return err
	})
	return c, err
}

// Explain shows the query's plans and state.
func (p *Prepared) Explain() (text string, err error) {
	err = p.ready(func(w *vstream.Writer) error {
		text, err = w.Explain()
		return err
	})
	return text, err
}

// ready gives fn the writer with everything set, and fn's error a place in the file.
func (p *Prepared) ready(fn func(w *vstream.Writer) error) error {
	q := p.Query
	t, err := q.trigger()
	if err != nil {
		return p.opened.Job.in(err, q.Trigger.At, "query "+q.Name)
	}
	if err := fn(p.Writer.Name(p.Name).Trigger(t)); err != nil {
		return p.opened.Job.in(err, q.At, "query "+q.Name)
	}
	return nil
}

// Locate points an error of the running query into the job file: at the SQL that it is
// about, or at the source that could not be opened. Other errors stay as they are.
func (p *Prepared) Locate(err error) error {
	var e *condition.Error
	if !errors.As(err, &e) {
		return err
	}
	j := p.opened.Job
	if e.Pos != nil {
		return j.Locate(err, p.Query.At)
	}
	for _, s := range j.Sources {
		if len(e.Where) > 0 && e.Where[len(e.Where)-1] == "source "+s.Name {
			return j.Locate(err, s.At)
		}
	}
	return err
}

// trigger is the query's trigger; without one, micro-batches follow each other.
func (q *Query) trigger() (vstream.Trigger, error) {
	if q.Trigger == nil {
		return vstream.ProcessingTime(0), nil
	}
	switch q.Trigger.Kind {
	case "availableNow":
		return vstream.AvailableNow(), nil
	case "once":
		return vstream.Once(), nil
	case "continuous":
		return vstream.Trigger{}, condition.New("_LEGACY_ERROR_TEMP_1195", "source", q.sinkName()).
			WithHint("use trigger: {processingTime: 0 seconds} for micro-batches that follow each other")
	case "realTime":
		return vstream.Trigger{}, q.realTime()
	}
	ms, err := plan.ParseDelay(q.Trigger.Interval)
	return vstream.ProcessingTime(time.Duration(ms) * time.Millisecond), err
}

// realTime is Spark's refusal of the real-time trigger: it takes update mode only,
// and none of the sinks here.
func (q *Query) realTime() error {
	if mode := strings.ToLower(q.OutputMode); mode != "update" {
		if mode == "" {
			mode = "append"
		}
		return condition.New("STREAMING_REAL_TIME_MODE.OUTPUT_MODE_NOT_SUPPORTED", "outputMode", mode)
	}
	return condition.New("STREAMING_REAL_TIME_MODE.OPERATOR_OR_SINK_NOT_IN_ALLOWLIST", "errorType", "sink", "message", q.sinkName()+" is")
}

func (q *Query) sinkName() string {
	if q.Sink == nil {
		return "foreachBatch"
	}
	return q.Sink.Format
}
