package verify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/checkpoint"
)

// logs are the offset log and the commit log.
type logs struct {
	offsets entries[checkpoint.OffsetEntry]
	commits entries[checkpoint.CommitEntry]
}

// entries are the entries of one log.
type entries[E any] struct {
	folder string
	ids    []int64 // of all that are there, ascending
	whole  map[int64]*E
	broken map[int64]error
}

// newest is the batch of the newest entry, -1 if there is none.
func (e *entries[E]) newest() int64 {
	if len(e.ids) == 0 {
		return -1
	}
	return e.ids[len(e.ids)-1]
}

func (e *entries[E]) file(id int64) string { return e.folder + "/" + strconv.FormatInt(id, 10) }

// gaps are the runs of entries that are missing between two others.
func (e *entries[E]) gaps() (out [][2]int64) {
	for i := 1; i < len(e.ids); i++ {
		if lo, hi := e.ids[i-1]+1, e.ids[i]-1; lo <= hi {
			out = append(out, [2]int64{lo, hi})
		}
	}
	return out
}

// readEntries reads and decodes all entries of a log.
func readEntries[E any](ctx context.Context, c *checker, folder string, decode func(string, []byte) (E, error)) entries[E] {
	out := entries[E]{folder: folder, whole: map[int64]*E{}, broken: map[int64]error{}}
	for _, name := range c.below(folder + "/") {
		base := strings.TrimPrefix(name, folder+"/")
		id, err := strconv.ParseInt(base, 10, 64)
		if err != nil || id < 0 || strconv.FormatInt(id, 10) != base {
			continue // checksums and temporary files
		}
		out.ids = append(out.ids, id)
		data, err := c.read(ctx, name)
		var e E
		if err == nil {
			e, err = decode(name, data)
		}
		if err != nil {
			out.broken[id] = err
		} else {
			out.whole[id] = &e
		}
	}
	slices.Sort(out.ids)
	return out
}

func (c *checker) readLogs(ctx context.Context) {
	c.logs = logs{readEntries(ctx, c, "offsets", checkpoint.DecodeOffsets), readEntries(ctx, c, "commits", checkpoint.DecodeCommit)}
}

// runsAhead tells whether the query runs ahead of its logs, which then have gaps.
func (c *checker) runsAhead() bool {
	async, known := c.spec.Value("query.async", "")
	return known && async != "off"
}

// before is the batch whose offset entry tells where the input of the batch of the newest entry
// begins; -1 if that is the beginning.
func (c *checker) before(batch int64) int64 {
	if !c.runsAhead() {
		return batch - 1
	}
	at, _ := slices.BinarySearch(c.logs.offsets.ids, batch)
	if at == 0 {
		return -1
	}
	return c.logs.offsets.ids[at-1]
}

// verdict finds where the query goes on, by the rules of checkpoint.Dir.Recover and with whole
// state, and adds what is wrong with the logs.
func (c *checker) verdict(otherwise bool, state *state) {
	o, m := &c.logs.offsets, &c.logs.commits
	needed := map[string]bool{} // entries without which the query does not go on
	goesOn := otherwise
	need := func(file string, whole bool) {
		needed[file] = true
		goesOn = goesOn && whole
	}
	last, committed := o.newest(), m.newest()
	next, replay := last+1, committed < last
	switch {
	case last < 0 && committed >= 0:
		goesOn = false
		c.add(Problem{Fatal, "offsets", fmt.Sprintf("it is empty, though batch %d is in the commit log", committed), "where the next batch begins is not known", restoreLogs})
	case committed > last:
		goesOn = false
		c.add(Problem{Fatal, o.file(committed), fmt.Sprintf("it is missing: the commit log goes up to batch %d, the offset log to batch %d", committed, last),
			"batches were committed of which nobody knows the offsets", restoreLogs})
	}
	if committed >= 0 {
		need(m.file(committed), m.whole[committed] != nil)
	}
	if last >= 0 {
		need(o.file(last), o.whole[last] != nil)
		if previous := c.before(last); previous >= 0 && (replay || !c.runsAhead()) {
			need(o.file(previous), o.whole[previous] != nil)
		}
	}
	if replay {
		next = last
		if e := o.whole[last]; e != nil && committed == last-2 && !c.runsAhead() && e.Conf[checkpoint.AsyncState] == "true" {
			next = last - 1
			if next > 0 {
				need(o.file(next-1), o.whole[next-1] != nil)
			}
		}
	}
	if next > 0 && goesOn && !state.readable(next, &c.logs) {
		goesOn = false
	}
	if goesOn {
		c.report.Next, c.report.Replay = &next, replay
	} else if otherwise {
		c.back(state)
	}
	reportLog(c, o, needed, "the input of that batch, and where the one after it begins, is not known")
	reportLog(c, m, needed, "which state belongs to that batch is not known")
	c.falling()
	state.report(c, next)
}

const restoreLogs = "restore the files from a copy, or start with a new checkpoint"

// back finds the newest batch after which the query could go on. The batch after it is run again as
// it was planned if that is known.
func (c *checker) back(state *state) {
	o, m := &c.logs.offsets, &c.logs.commits
	for _, b := range slices.Backward(m.ids) {
		previous := c.before(b)
		if m.whole[b] == nil || o.whole[b] == nil || previous >= 0 && !c.runsAhead() && o.whole[previous] == nil || !state.readable(b+1, &c.logs) {
			continue
		}
		keep := b
		if o.whole[b+1] != nil {
			keep++
		}
		c.report.Back, c.report.BackOffsets = &b, &keep
		return
	}
}

// reportLog adds the broken and the missing entries of a log.
func reportLog[E any](c *checker, e *entries[E], needed map[string]bool, means string) {
	level := func(id int64) (Level, string) {
		if needed[e.file(id)] {
			return Fatal, "restore the file from a copy" + c.orBack()
		}
		return Damage, "nothing has to be done: the query does not need it to go on"
	}
	for _, id := range e.ids {
		if err := e.broken[id]; err != nil {
			l, do := level(id)
			c.problem(l, e.file(id), err, means, do)
		}
	}
	for _, gap := range e.gaps() {
		lo, hi := gap[0], gap[1]
		file := e.file(lo)
		if lo < hi {
			file += " to " + e.file(hi)
		}
		l, do := level(hi)
		p := Problem{l, file, "missing between other entries", means, do}
		switch {
		case c.runsAhead():
			p.Level, p.Means, p.Do = Note, "the query runs ahead of its logs (asynchronous progress tracking), which leaves gaps", "nothing has to be done"
		case l == Fatal:
			p.Do += ". If asynchronous progress tracking left the gap, switch it on again, with asyncProgressTrackingCheckpointIntervalMs 0, until two batches are processed"
		}
		c.add(p)
	}
}

// falling notes versions of the offset log that fall: there is no way back to version 1.
func (c *checker) falling() {
	o := &c.logs.offsets
	version := 0
	for _, id := range o.ids {
		e := o.whole[id]
		if e == nil {
			continue
		}
		if e.Version < version {
			c.add(Problem{Damage, o.file(id), fmt.Sprintf("its version is %d after %d", e.Version, version), "sources that were known by name are known by position",
				"restore the file from a copy, or make sure that the query reads its sources in this order"})
		}
		version = e.Version
	}
}

// orBack tells how to go on after an older batch.
func (c *checker) orBack() string {
	if c.report.Back == nil {
		return ", or start with a new checkpoint"
	}
	b := *c.report.Back
	return fmt.Sprintf("; or go back to batch %d: take the entries after %d out of commits/, those after %d out of offsets/ and, with a file sink, those after %d out of its _spark_metadata/; the later batches are then run again",
		b, b, *c.report.BackOffsets, b)
}
