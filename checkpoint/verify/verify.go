// Package verify reads every file of a checkpoint and tells what is wrong with it. It writes
// nothing and takes no lock. It reads checkpoints of Spark's, too, as far as the formats are shared.
package verify

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// Level says how much a problem matters.
type Level string

// The levels.
const (
	Fatal  Level = "fatal"  // the query cannot go on
	Damage Level = "damage" // the query goes on, but something is lost
	Note   Level = "note"   // nothing is broken
)

// Problem is one thing that is wrong with one file.
type Problem struct {
	Level Level  `json:"level"`
	File  string `json:"file"`  // its name in the checkpoint, or a URL
	What  string `json:"what"`  // what is wrong with it
	Means string `json:"means"` // what does not work because of that
	Do    string `json:"do"`    // what can be done
}

// Report is what Run found.
type Report struct {
	Checkpoint string `json:"checkpoint"`
	Query      string `json:"query,omitempty"` // its id
	// Files and Bytes were read.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Next is the batch with which the query goes on, nil if it cannot; Replay: that batch
	// has been planned and is run again.
	Next   *int64 `json:"next,omitempty"`
	Replay bool   `json:"replay,omitempty"`
	// Back, if the query cannot go on as it is, is the newest batch after which it can when later entries
	// are taken out of the commit log, and out of the offset log those after BackOffsets; nil if there is none.
	Back        *int64    `json:"back,omitempty"`
	BackOffsets *int64    `json:"backOffsets,omitempty"`
	Problems    []Problem `json:"problems"`
}

// Broken tells whether something is broken, not only noted.
func (r *Report) Broken() bool {
	return slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Level != Note })
}

// tries is how often a checkpoint is read that changes meanwhile.
const tries = 3

// Run reads the checkpoint in a store. A place without one is PATH_NOT_FOUND. If a query runs on
// it, files may come and go meanwhile: what looks broken then is looked at again.
func Run(ctx context.Context, store objstore.Store) (*Report, error) {
	for try := 1; ; try++ {
		c := &checker{store: store, report: &Report{Checkpoint: location(store), Problems: []Problem{}}}
		if err := c.run(ctx); err != nil {
			return nil, err
		}
		if !c.report.Broken() || try == tries {
			return c.report, nil
		}
		if moved, err := c.moved(ctx); err != nil || !moved {
			return c.report, err
		}
	}
}

// checker checks one checkpoint.
type checker struct {
	store  objstore.Store
	report *Report
	names  []string // of all files, sorted
	logs   logs
	spec   checkpoint.Spec // what the query was, if that is known
}

func (c *checker) run(ctx context.Context) error {
	infos, err := c.store.List(ctx, "")
	if err != nil {
		return condition.IO(err, "list", c.report.Checkpoint)
	}
	for _, i := range infos {
		c.names = append(c.names, i.Name)
	}
	slices.Sort(c.names)
	if !c.there("metadata") && len(c.below("offsets/")) == 0 && len(c.below("commits/")) == 0 {
		return condition.New("PATH_NOT_FOUND", "path", c.report.Checkpoint+"/metadata")
	}
	rootWhole := c.root(ctx)
	c.readLogs(ctx)
	state := c.readState(ctx)
	sources := c.checkSources(ctx)
	c.verdict(rootWhole && sources, state)
	c.checksums(ctx)
	c.sink(ctx)
	return ctx.Err()
}

// moved tells whether a query has written to the logs since they were listed.
func (c *checker) moved(ctx context.Context) (bool, error) {
	for _, folder := range []string{"offsets/", "commits/"} {
		infos, err := c.store.List(ctx, folder)
		if err != nil {
			return false, condition.IO(err, "list", c.store.URL(folder))
		}
		var now []string
		for _, i := range infos {
			now = append(now, i.Name)
		}
		slices.Sort(now)
		if !slices.Equal(now, c.below(folder)) {
			return true, nil
		}
	}
	return false, nil
}

// root checks the files at the top; false: the query cannot start because of them.
func (c *checker) root(ctx context.Context) bool {
	whole := true
	data, err := c.read(ctx, "metadata")
	if err == nil {
		c.report.Query, err = checkpoint.DecodeMetadata("metadata", data)
	}
	if err != nil {
		whole = false
		c.problem(Fatal, "metadata", err, "the query's id is lost, by which sinks know it",
			`restore the file, or write {"id":"ID"} into it, with the id from the progress events or from vstream-query`)
	}
	if !c.there("vstream-query") {
		return whole
	}
	data, err = c.read(ctx, "vstream-query")
	if err == nil {
		c.spec, err = checkpoint.DecodeSpec("vstream-query", data)
	}
	switch {
	case err != nil:
		c.problem(Fatal, "vstream-query", err, "a restart cannot tell what has changed in the query",
			"restore the file, or delete it: the query then starts without that comparison")
	case c.spec.ID != "" && c.report.Query != "" && c.spec.ID != c.report.Query:
		c.add(Problem{Fatal, "metadata", "it names query " + c.report.Query + ", but query " + c.spec.ID + " wrote the checkpoint",
			"positions and state would be taken for those of another query", "restore the metadata file of this checkpoint"})
	default:
		return whole
	}
	return false
}

// read gives a file and counts it.
func (c *checker) read(ctx context.Context, name string) ([]byte, error) {
	data, err := c.store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	c.report.Files++
	c.report.Bytes += int64(len(data))
	return data, nil
}

func (c *checker) there(name string) bool {
	_, ok := slices.BinarySearch(c.names, name)
	return ok
}

// below are the names of the files in a folder, at any depth, sorted.
func (c *checker) below(folder string) []string {
	lo, _ := slices.BinarySearch(c.names, folder)
	hi := lo
	for hi < len(c.names) && strings.HasPrefix(c.names[hi], folder) {
		hi++
	}
	return c.names[lo:hi]
}

func (c *checker) add(p Problem) { c.report.Problems = append(c.report.Problems, p) }

// problem adds an error of reading a file.
func (c *checker) problem(level Level, file string, err error, means, do string) {
	c.add(Problem{level, file, text(err), means, do})
}

// text is what an error says about a file, without the file's name.
func text(err error) string {
	if errors.Is(err, objstore.ErrNotFound) {
		return "it is missing"
	}
	var e *condition.Error
	if !errors.As(err, &e) {
		return "it cannot be read: " + err.Error()
	}
	if e.Name == "VSTREAM_CORRUPT_FILE" {
		return e.Params["detail"]
	}
	return strings.TrimSuffix(e.Message, ".")
}

func location(s objstore.Store) string {
	return strings.TrimPrefix(strings.TrimSuffix(s.URL(""), "/"), "file://")
}
