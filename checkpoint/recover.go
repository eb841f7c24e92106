package checkpoint

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/vstream/vstream/condition"
)

// Recovery says where a query goes on.
type Recovery struct {
	// Batch is the batch to run next.
	Batch int64
	// Replay: Batch is in the offset log already and is run again as logged.
	Replay bool
	// Offsets is the newest entry of the offset log, of Batch if Replay and of the
	// last batch otherwise; nil on a fresh checkpoint. With Next it is the one before the newest.
	Offsets *OffsetEntry
	// Start is the entry where Batch's input begins, the offsets of the batch before it;
	// nil if Batch is the first one.
	Start *OffsetEntry
	// Next is the entry of the batch after Batch, which is then to be run again as logged, too; nil
	// if there is none. Only asynchronous state checkpointing leaves one.
	Next *OffsetEntry
	// Commit is the newest entry of the commit log, of batch LastCommit; nil (and -1) if
	// there is none. Its state ids are those of the state on which Batch builds only if
	// LastCommit is Batch - 1.
	Commit     *CommitEntry
	LastCommit int64
}

// AsyncState is the setting of asynchronous state checkpointing. An entry of the offset log that
// has it set to true may have been written before the commit of the batch before.
const AsyncState = "vstream.state.asyncCheckpoint"

// Recover reads the ends of both logs. AllowGaps accepts a missing entry before the newest
// one, as it comes about under asynchronous progress tracking; Start of a replayed batch is
// then the newest entry there is below.
//
// With the last offset entry O and the last commit C: O = C goes on at O+1. O > C runs O
// again; C < O-1 is accepted with a warning, as in Spark (the commit log was cut). C > O is
// CONCURRENT_STREAM_LOG_UPDATE, as in Spark. Under asynchronous state checkpointing, of which O
// itself tells, C = O-2 runs O-1 and O again. Commits without any offsets, and a missing entry
// before the newest one, are VSTREAM_CHECKPOINT_INCONSISTENT, where Spark has no condition.
func (d *Dir) Recover(ctx context.Context, allowGaps bool) (*Recovery, error) {
	last, offsets, hasOffsets, err := d.offsets.Latest(ctx)
	if err != nil {
		return nil, err
	}
	committed, commit, hasCommit, err := d.commits.Latest(ctx)
	if err != nil {
		return nil, err
	}
	r := &Recovery{LastCommit: -1}
	if hasCommit {
		r.Commit, r.LastCommit = &commit, committed
	}
	switch {
	case !hasOffsets && !hasCommit:
		return r, nil
	case !hasOffsets:
		return nil, d.inconsistent("the offset log is empty, but batch %d is in the commit log", committed)
	case r.LastCommit > last:
		return nil, condition.New("CONCURRENT_STREAM_LOG_UPDATE", "batchId", last).
			WithHint("the commit log is ahead of the offset log (batch %d after batch %d): restore the missing entries in offsets/, or start with a new checkpoint", committed, last)
	}
	r.Offsets = &offsets
	if r.LastCommit == last {
		r.Batch, r.Start = last+1, &offsets
		if allowGaps {
			return r, nil
		}
		_, err := d.before(ctx, last, false) // as Spark wants it, though nothing of it is used
		return r, err
	}
	r.Batch, r.Replay = last, true
	if r.LastCommit == last-2 && offsets.Conf[AsyncState] == "true" && !allowGaps {
		// Its state may not be durable, or its sink may not have it.
		r.Next, r.Batch = &offsets, last-1
		if r.Offsets, err = d.before(ctx, last, false); err != nil {
			return nil, err
		}
		r.Start, err = d.before(ctx, last-1, false)
		return r, err
	}
	if r.LastCommit < last-1 && !allowGaps {
		slog.Warn("commit log ends before the batch to be run again", "batch", last, "lastCommit", r.LastCommit, "checkpoint", d.Location())
	}
	r.Start, err = d.before(ctx, last, allowGaps)
	return r, err
}

// before finds the offset entry of the batch before last.
func (d *Dir) before(ctx context.Context, last int64, allowGaps bool) (*OffsetEntry, error) {
	if last == 0 {
		return nil, nil
	}
	previous := last - 1
	if allowGaps {
		batches, err := d.offsets.Batches(ctx)
		if err != nil {
			return nil, err
		}
		if len(batches) < 2 {
			return nil, nil
		}
		previous = batches[len(batches)-2]
	}
	e, ok, err := d.offsets.Get(ctx, previous)
	if err == nil && !ok {
		return nil, condition.New("VSTREAM_CHECKPOINT_INCONSISTENT", "checkpoint", d.Location(), "detail",
			fmt.Sprintf("batch %d doesn't exist: the offset log has no entry of it, which is required to restart the query from batch %d, the latest in the offset log", previous, last)).
			WithHint("asynchronous progress tracking leaves such gaps: set asyncProgressTrackingEnabled to true and asyncProgressTrackingCheckpointIntervalMs to 0, run the query until at least two micro-batches are processed, and switch it off then. " +
				"Otherwise restore the file, or delete offset files until the two latest are consecutive and the latest commit is the latest of them or the one before")
	}
	return &e, err
}

func (d *Dir) inconsistent(format string, args ...any) error {
	c := condition.New("VSTREAM_CHECKPOINT_INCONSISTENT", "checkpoint", d.Location(), "detail", fmt.Sprintf(format, args...))
	return c.WithHint("restore the files from a copy, or start with a new checkpoint")
}
