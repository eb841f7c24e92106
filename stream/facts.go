package stream

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/checkpoint"
)

// What options of sources mean to the rules about restarts, in lower case.
var (
	rateLimits = []string{"maxfilespertrigger", "maxbytespertrigger", "maxoffsetspertrigger", "minoffsetspertrigger", "maxtriggerdelay"}
	// subscriptions say what a source reads that has no path.
	subscriptions = []string{"subscribe", "subscribepattern", "assign", "topic", "table", "streamname", "streamarn"}
)

// sourceFacts describe the sources.
func sourceFacts(inputs []*Input, resolve func(string) string) []checkpoint.Fact {
	var out []checkpoint.Fact
	named := false
	for i, in := range inputs {
		f := checkpoint.Fact{Subject: "source " + in.Name}
		if in.Name == "" {
			f.Subject, f.Label = "source "+strconv.Itoa(i), "source "+in.Relation
		}
		named = named || in.Name != ""
		kind := in.Spec.Kind
		if kind == "" {
			kind = in.Format
		}
		add := func(key, value string) {
			f.Key, f.Value = key, value
			out = append(out, f)
		}
		add("source.kind", kind)
		if kind != in.Format {
			add("source.format", in.Format)
		}
		if path, ok := in.Options.Get("path"); ok {
			if resolve != nil {
				path = resolve(path)
			}
			add("source.path", fixedFolder(path))
		}
		add("source.subscription", DescribeOptions(in.Options, func(o string) bool { return slices.Contains(subscriptions, o) }))
		add("source.limits", DescribeOptions(in.Options, func(o string) bool { return slices.Contains(rateLimits, o) }))
		add("source.options", DescribeOptions(in.Options, func(o string) bool {
			return o != "path" && !slices.Contains(subscriptions, o) && !slices.Contains(rateLimits, o)
		}))
		if in.Schema != nil {
			add("source.columns", in.Schema.String())
		}
	}
	if !named {
		out = append(out, checkpoint.Fact{Key: "source.number", Value: strconv.Itoa(len(inputs))})
	}
	return out
}

// fixedFolder is a path up to its first element with wildcards.
func fixedFolder(path string) string {
	if at := strings.IndexAny(path, "*?[{"); at >= 0 {
		path = path[:strings.LastIndexByte(path[:at], '/')+1]
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

// DescribeOptions are the options that are wanted, by their names in lower case, sorted. What
// could be a secret is not shown.
func DescribeOptions(options map[string]string, want func(lower string) bool) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(options)) {
		if want(strings.ToLower(k)) {
			out = append(out, k+"="+redacted(k, options[k]))
		}
	}
	return strings.Join(out, ", ")
}

// redacted hides the values of options that hold secrets, as Spark's
// spark.redaction.regex names them.
func redacted(option, value string) string {
	lower := strings.ToLower(option)
	for _, word := range []string{"secret", "password", "token", "access", "jaas", "credential"} {
		if strings.Contains(lower, word) {
			return "*********(redacted)"
		}
	}
	return value
}

// queryFacts describe what a query computes and where its rows go.
func (e *Execution) queryFacts() []checkpoint.Fact {
	out := []checkpoint.Fact{
		{Key: "query.mode", Value: e.cfg.Mode},
		{Key: "query.trigger", Value: e.cfg.Trigger.String()},
		{Key: "query.async", Value: e.cfg.Async.String()},
		{Key: "query.columns", Value: e.plan.Output.String()},
	}
	sink := e.sinkFacts()
	for _, f := range e.cfg.Facts {
		if sink[0].Value == fileSink || f.Key != "sink.format" && f.Key != "sink.partitioning" {
			out = append(out, f)
		}
	}
	out = append(out, sink...)
	var names []string
	for id, op := range e.plan.Operators {
		names = append(names, op.Name)
		for _, k := range slices.Sorted(maps.Keys(op.Spec)) {
			out = append(out, checkpoint.Fact{Key: "state." + k, Subject: fmt.Sprintf("stateful operator %d", id), Value: op.Spec[k]})
		}
	}
	return append(out, checkpoint.Fact{Key: "state.operators", Value: strings.Join(names, ", ")})
}

func (e *Execution) sinkFacts() []checkpoint.Fact {
	kind, place := kindAndPlace(e.cfg.Sink.Describe())
	key := "sink.target"
	if kind == fileSink {
		key = "sink.folder"
	}
	late := ""
	if e.cfg.Late != nil {
		late = e.cfg.Late.Describe()
	}
	return []checkpoint.Fact{{Key: "sink.kind", Value: kind}, {Key: key, Subject: "the sink", Value: place}, {Key: "late.sink", Value: late}}
}

// fileSink is the kind of the sinks that keep a log of their own in a folder.
const fileSink = "FileSink"

// kindAndPlace splits what a sink calls itself: FileSink[/data/out].
func kindAndPlace(description string) (kind, place string) {
	kind, place, _ = strings.Cut(description, "[")
	return kind, strings.TrimSuffix(place, "]")
}

// String is the trigger in the words of a job file.
func (t Trigger) String() string {
	switch t.Kind {
	case Once:
		return "once"
	case AvailableNow:
		return "availableNow"
	}
	return "processingTime " + t.Interval.String()
}

// String tells the setting; nil is off.
func (a *AsyncProgress) String() string {
	if a == nil {
		return "off"
	}
	return "every " + a.Interval.String()
}
