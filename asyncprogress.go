package vstream

import (
	"strconv"
	"strings"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/sink"
	"github.com/vstream/vstream/stream"
)

const (
	asyncEnabled     = "asyncProgressTrackingEnabled"
	asyncInterval    = "asyncProgressTrackingCheckpointIntervalMs"
	asyncDrainOnStop = "vstream.asyncProgress.drainOnStop"
)

// asyncProgress reads the settings of asynchronous progress tracking and refuses what it
// cannot be used with, as Spark does in start(); nil: it is off.
func (w *Writer) asyncProgress() (*stream.AsyncProgress, error) {
	text, _ := w.options.Get(asyncEnabled)
	if on, err := boolean(asyncEnabled, text, false); !on || err != nil {
		return nil, err
	}
	a := &stream.AsyncProgress{Interval: time.Second}
	if text, set := w.options.Get(asyncInterval); set {
		ms, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, condition.New("VSTREAM_INVALID_OPTION", "option", asyncInterval, "value", text, "expected", "a whole number of milliseconds")
		}
		a.Interval = time.Duration(ms) * time.Millisecond
	}
	var err error
	if a.DrainOnStop, err = boolean(asyncDrainOnStop, w.t.s.Conf(asyncDrainOnStop), true); err != nil {
		return nil, err
	}
	if w.sink != nil {
		return nil, stream.ErrAsyncUnsupported("sink " + w.sink.Describe())
	}
	if spec, ok := sink.Lookup(w.format); ok && !spec.AsyncProgress {
		return nil, stream.ErrAsyncUnsupported("the sink " + spec.Name)
	}
	switch w.trigger.Kind {
	case stream.Once:
		return nil, stream.ErrAsyncUnsupported("the trigger once")
	case stream.AvailableNow:
		return nil, stream.ErrAsyncUnsupported("the trigger availableNow")
	}
	return a, nil
}

// boolean reads a setting that may be absent.
func boolean(name, text string, absent bool) (bool, error) {
	switch strings.ToLower(text) {
	case "":
		return absent, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, condition.New("VSTREAM_INVALID_OPTION", "option", name, "value", text, "expected", "true or false")
}
