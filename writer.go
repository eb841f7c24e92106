package vstream

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
	"github.com/vstream/vstream/physical"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/sink/foreach"
	"github.com/vstream/vstream/stream"
)

// Trigger says when micro-batches run; the zero Trigger runs one after the other.
type Trigger = stream.Trigger

// ProcessingTime runs a micro-batch every interval.
func ProcessingTime(interval time.Duration) Trigger {
	return Trigger{Kind: stream.ProcessingTime, Interval: interval}
}

// AvailableNow processes what is there when the query starts, in as many
// micro-batches as the sources' rate limits want, and ends.
func AvailableNow() Trigger { return Trigger{Kind: stream.AvailableNow} }

// Once processes what is there in one micro-batch and ends.
func Once() Trigger { return Trigger{Kind: stream.Once} }

// Writer describes where a query's rows go.
type Writer struct {
	t           *Table
	name        string
	format      string
	mode        string
	options     sink.Options
	partitionBy []string
	checkpoint  string
	trigger     Trigger
	listener    stream.Listener
	sink        sink.Sink
	late        *Writer // nil: no late sink
}

// Write starts the description of a query.
func (t *Table) Write() *Writer {
	return &Writer{t: t, format: "noop", options: sink.Options{}}
}

// Format is the kind of sink: parquet, json, csv, text, console, memory, noop.
func (w *Writer) Format(format string) *Writer { w.format = format; return w }

// Option sets an option of the sink, under Spark's name.
func (w *Writer) Option(key, value string) *Writer { w.options[key] = value; return w }

// PartitionBy splits a file sink's output into folders by columns.
func (w *Writer) PartitionBy(columns ...string) *Writer { w.partitionBy = columns; return w }

// Mode is the output mode: append (the default), update or complete.
func (w *Writer) Mode(mode string) *Writer { w.mode = mode; return w }

// Name names the query.
func (w *Writer) Name(name string) *Writer { w.name = name; return w }

// Checkpoint is the query's checkpoint directory, a path or URL. Without one the
// query keeps a temporary checkpoint that is lost when it ends.
func (w *Writer) Checkpoint(location string) *Writer { w.checkpoint = location; return w }

// Trigger says when micro-batches run.
func (w *Writer) Trigger(t Trigger) *Writer { w.trigger = t; return w }

// Listen reports the query's life to l.
func (w *Writer) Listen(l stream.Listener) *Writer { w.listener = l; return w }

// To writes to a sink of the caller's own.
func (w *Writer) To(s sink.Sink) *Writer { w.sink = s; return w }

// ForeachBatch hands each batch to f; see package sink/foreach.
func (w *Writer) ForeachBatch(f foreach.Func) *Writer { return w.To(foreach.New(f)) }

// analyse analyses and checks the query for its output mode.
func (w *Writer) analyse() (analysed, finished plan.Node, mode string, err error) {
	if mode, err = parseMode(w.mode); err != nil {
		return nil, nil, "", err
	}
	if w.trigger.Interval < 0 {
		return nil, nil, "", condition.New("VSTREAM_INVALID_VALUE", "what", "the interval of the trigger", "value", w.trigger.Interval.String())
	}
	a := w.t.s.analyser()
	if analysed, err = w.t.build(a); err != nil {
		return nil, nil, "", err
	}
	finished, err = a.Finish(analysed, mode)
	return analysed, finished, mode, err
}

func parseMode(mode string) (string, error) {
	switch m := strings.ToLower(mode); m {
	case "":
		return "append", nil
	case "append", "update", "complete":
		return m, nil
	}
	return "", condition.New("STREAMING_OUTPUT_MODE.INVALID", "outputMode", mode)
}

// Start checks the query and starts it. What Spark refuses in start() is refused
// here; what goes wrong later is the query's error.
func (w *Writer) Start(ctx context.Context) (*Query, error) {
	cfg, err := w.config(ctx)
	if err != nil {
		return nil, err
	}
	s := w.t.s
	q := &Query{s: s, name: w.name, done: make(chan struct{})}
	cfg.Checkpoint, q.cleanup, err = w.openCheckpoint(ctx)
	if err == nil {
		q.run = stream.New(*cfg)
		if err = q.run.Prepare(ctx); err != nil {
			q.cleanup()
		}
	}
	if err != nil {
		if cerr := closeSinks(cfg); cerr != nil {
			err = errors.Join(err, cerr)
		}
		return nil, err
	}
	s.mu.Lock()
	s.queries = append(s.queries, q)
	s.mu.Unlock()
	go q.live(ctx)
	return q, nil
}

// config is what a run needs, all but the checkpoint. The sinks are open.
func (w *Writer) config(ctx context.Context) (*stream.Config, error) {
	s := w.t.s
	_, n, mode, err := w.analyse()
	if err != nil {
		return nil, err
	}
	sources := inputs(n)
	if err := checkDuplicateNames(sources); err != nil {
		return nil, err
	}
	async, err := w.asyncProgress()
	if err != nil {
		return nil, err
	}
	out, err := w.openSink(ctx, mode)
	if err != nil {
		return nil, err
	}
	late, err := w.openLate(ctx)
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	kconf := s.kernelConf()
	return &stream.Config{
		Name: w.name, Mode: mode, Trigger: w.trigger, Async: async, Conf: kconf.Conf, Kernel: kconf,
		Compile: func(conf map[string]string) (*physical.Plan, error) {
			_, p, err := compile(n, physical.Config{Mode: mode, Partitions: partitionsOf(conf), Conf: kconf, Late: late != nil})
			return p, err
		},
		Inputs: sources, Facts: w.facts(n), Sink: out, Late: late, Resolve: s.resolve, Clock: s.clock, Listener: w.listener, Log: s.log, Crash: s.crash,
	}, nil
}

// closeSinks closes the sinks of a query that was not run.
func closeSinks(cfg *stream.Config) error {
	err := cfg.Sink.Close()
	if cfg.Late != nil {
		err = errors.Join(err, cfg.Late.Close())
	}
	return err
}

// Compare tells what has changed since the last run on the query's checkpoint, and whether
// the query would start, without running or writing anything.
func (w *Writer) Compare(ctx context.Context) (*Comparison, error) {
	location := w.location()
	if location == "" {
		return &Comparison{Fresh: true}, nil
	}
	cfg, err := w.config(ctx)
	if err != nil {
		return nil, err
	}
	defer closeSinks(cfg)
	if cfg.Checkpoint, err = objstore.Open(ctx, w.t.s.resolve(location)); err != nil {
		return nil, err
	}
	return stream.New(*cfg).Compare(ctx)
}

// Comparison is what a restart of a query would meet.
type Comparison = stream.Comparison

// openSink checks that the sink exists and takes the output mode.
func (w *Writer) openSink(ctx context.Context, mode string) (sink.Sink, error) {
	if w.sink != nil {
		return w.sink, nil
	}
	spec, ok := sink.Lookup(w.format)
	if !ok {
		return nil, condition.New("DATA_SOURCE_NOT_FOUND", "provider", w.format).
			WithHint("the sinks are: %s", strings.Join(sink.Names(), ", "))
	}
	supported := false
	for _, m := range spec.Modes {
		supported = supported || m == mode
	}
	if !supported {
		return nil, condition.New("STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE", "className", spec.Name, "outputMode", mode)
	}
	s := w.t.s
	c := sink.Context{
		QueryName: w.name, Resolve: s.resolve, Conf: s.confCopy(), PartitionBy: w.partitionBy, TimeZone: s.kernelConf().Zone.String(),
		OpenStore: func(path string) (objstore.Store, error) { return objstore.Open(ctx, s.resolve(path)) },
		NowMs:     func() int64 { return time.Now().UnixMilli() },
	}
	return spec.Open(ctx, c, w.options)
}

// location is the checkpoint's, "" if the query has none.
func (w *Writer) location() string {
	if w.checkpoint != "" {
		return w.checkpoint
	}
	v, _ := w.options.Get("checkpointLocation")
	return v
}

func (w *Writer) openCheckpoint(ctx context.Context) (objstore.Store, func(), error) {
	if location := w.location(); location != "" {
		store, err := objstore.Open(ctx, w.t.s.resolve(location))
		return store, func() {}, err
	}
	dir, err := os.MkdirTemp("", "vstream-checkpoint-")
	if err != nil {
		return nil, nil, condition.IO(err, "create", os.TempDir())
	}
	store, err := objstore.Open(ctx, dir)
	return store, func() { os.RemoveAll(dir) }, err
}

// inputs are the streaming sources of a plan, each once, in the order of the plan.
func inputs(n plan.Node) []*stream.Input {
	var out []*stream.Input
	seen := map[*stream.Input]bool{}
	var walk func(plan.Node)
	walk = func(n plan.Node) {
		if r, ok := n.(*plan.Relation); ok && r.IsStream {
			if in := r.Handle.(*stream.Input); !seen[in] {
				seen[in] = true
				out = append(out, in)
			}
		}
		for _, k := range n.Inputs() {
			walk(k)
		}
	}
	walk(n)
	return out
}
