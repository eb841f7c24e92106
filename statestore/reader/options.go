package reader

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
)

// The options of the format statestore, as Spark names them.
const (
	OptPath              = "path"
	OptBatch             = "batchId"
	OptOperator          = "operatorId"
	OptStore             = "storeName"
	OptJoinSide          = "joinSide"
	OptSnapshotStart     = "snapshotStartBatchId"
	OptSnapshotPartition = "snapshotPartitionId"
	OptChangeFeed        = "readChangeFeed"
	OptChangeStart       = "changeStartBatchId"
	OptChangeEnd         = "changeEndBatchId"
	OptVariable          = "stateVarName"
	OptTimers            = "readRegisteredTimers"
	OptFlatten           = "flattenCollectionTypes"
)

// defaultStore is the store of an operator that has one.
const defaultStore = "default"

// Options say what of a checkpoint's state is read.
type Options struct {
	// Batch is the batch after which the state is shown; nil: the last committed one.
	Batch    *int64
	Operator int64
	Store    string // "" is "default"
	JoinSide string // left, right; "" for none
	Snapshot *Snapshot
	Changes  *ChangeRange
	// Variable and Timers are of transformWithState; other operators refuse them.
	Variable string
	Timers   bool
}

// Snapshot makes the read begin with the snapshot after a batch, of one partition.
type Snapshot struct {
	Start     int64
	Partition int
}

// ChangeRange asks for the changes of batches instead of the state.
type ChangeRange struct {
	Start int64
	End   *int64 // nil: the last committed batch
}

// ParseOptions reads Spark's options; get finds one by its name. The errors are
// STDS_INVALID_OPTION_VALUE.*, STDS_CONFLICT_OPTIONS and STDS_REQUIRED_OPTION_UNSPECIFIED.
func ParseOptions(get func(name string) (string, bool)) (Options, error) {
	p := &optionParser{get: get}
	o := Options{Store: defaultStore}
	if n := p.number(OptOperator); n != nil {
		o.Operator = *n
	}
	if o.Operator < 0 {
		p.fail(negative(OptOperator))
	}
	if s, ok := get(OptStore); ok {
		if o.Store = strings.TrimSpace(s); o.Store == "" {
			p.fail(condition.New("STDS_INVALID_OPTION_VALUE.IS_EMPTY", "optionName", OptStore))
		}
	}
	o.Variable, _ = get(OptVariable)
	o.Timers = p.flag(OptTimers)
	p.flag(OptFlatten) // of transformWithState; it has no effect on other operators
	if o.Timers && o.Variable != "" {
		p.conflict(OptTimers, OptVariable)
	}
	if side, ok := get(OptJoinSide); ok {
		switch side {
		case "left", "right":
			o.JoinSide = side
		case "none":
		default:
			p.fail(invalid(OptJoinSide, "it is left, right or none"))
		}
	}
	if o.JoinSide != "" && o.Store != defaultStore {
		p.conflict(OptJoinSide, OptStore)
	}
	o.Batch = p.number(OptBatch)
	start, partition := p.number(OptSnapshotStart), p.number(OptSnapshotPartition)
	if p.flag(OptChangeFeed) {
		for _, x := range []struct {
			set  bool
			name string
		}{{o.JoinSide != "", OptJoinSide}, {o.Batch != nil, OptBatch}, {start != nil, OptSnapshotStart}, {partition != nil, OptSnapshotPartition}} {
			if x.set {
				p.conflict(x.name, OptChangeFeed)
			}
		}
		p.changes(&o)
	} else {
		for _, name := range []string{OptChangeStart, OptChangeEnd} {
			if _, ok := get(name); ok {
				p.fail(invalid(name, "it goes with readChangeFeed = true only"))
			}
		}
		p.snapshot(&o, start, partition)
	}
	return o, p.err
}

// changes reads the range of a change feed.
func (p *optionParser) changes(o *Options) {
	start, end := p.number(OptChangeStart), p.number(OptChangeEnd)
	switch {
	case start == nil:
		p.fail(condition.New("STDS_REQUIRED_OPTION_UNSPECIFIED", "optionName", OptChangeStart))
	case *start < 0:
		p.fail(negative(OptChangeStart))
	case end != nil && *end < *start:
		p.fail(endBeforeStart(*start, *end))
	default:
		o.Changes = &ChangeRange{*start, end}
	}
}

func endBeforeStart(start, end int64) error {
	return invalid(OptChangeEnd, fmt.Sprintf("the feed would end with batch %d, before its start %d", end, start))
}

func (p *optionParser) snapshot(o *Options, start, partition *int64) {
	switch {
	case o.Batch != nil && *o.Batch < 0:
		p.fail(negative(OptBatch))
	case start != nil && *start < 0:
		p.fail(negative(OptSnapshotStart))
	case partition != nil && *partition < 0:
		p.fail(negative(OptSnapshotPartition))
	case start == nil && partition == nil:
	case start == nil:
		p.fail(condition.New("STDS_REQUIRED_OPTION_UNSPECIFIED", "optionName", OptSnapshotStart))
	case partition == nil:
		p.fail(condition.New("STDS_REQUIRED_OPTION_UNSPECIFIED", "optionName", OptSnapshotPartition))
	default:
		o.Snapshot = &Snapshot{*start, int(min(*partition, 1<<31))}
	}
}

// optionParser keeps the first error.
type optionParser struct {
	get func(string) (string, bool)
	err error
}

func (p *optionParser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *optionParser) conflict(a, b string) {
	p.fail(condition.New("STDS_CONFLICT_OPTIONS", "options", "['"+a+"', '"+b+"']"))
}

func (p *optionParser) number(name string) *int64 {
	text, ok := p.get(name)
	if !ok {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.fail(invalid(name, fmt.Sprintf("%q is no whole number", text)))
	}
	return &n
}

func (p *optionParser) flag(name string) bool {
	text, ok := p.get(name)
	switch strings.ToLower(text) {
	case "true":
		return true
	case "false":
		return false
	}
	if ok {
		p.fail(invalid(name, fmt.Sprintf("%q is neither true nor false", text)))
	}
	return false
}

func invalid(option, message string) error {
	return condition.New("STDS_INVALID_OPTION_VALUE.WITH_MESSAGE", "optionName", option, "message", message)
}

func negative(option string) error {
	return condition.New("STDS_INVALID_OPTION_VALUE.IS_NEGATIVE", "optionName", option)
}
