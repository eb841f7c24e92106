package vstream

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/kernels"
	"github.com/vstream/vstream/plan"
	"github.com/vstream/vstream/stream"
	"github.com/vstream/vstream/watermark"
)

// Session is where tables are named and queries run. It is safe for concurrent use.
type Session struct {
	mu      sync.Mutex
	conf    map[string]string
	views   map[string]*plan.View
	names   []string // of views, as given
	queries []*Query
	ended   *sync.Cond
	dir     string
	log     *slog.Logger
	clock   stream.Clock
	crash   func(point string) error
}

// Option configures a Session.
type Option func(*Session) error

// WithConf sets a configuration value under Spark's name, as SetConf does.
func WithConf(key, value string) Option {
	return func(s *Session) error { return s.SetConf(key, value) }
}

// WithDir is the directory that relative paths start from; the default is the
// working directory.
func WithDir(dir string) Option {
	return func(s *Session) error { s.dir = dir; return nil }
}

// WithLogger sends log records to l instead of slog.Default.
func WithLogger(l *slog.Logger) Option {
	return func(s *Session) error { s.log = l; return nil }
}

// WithClock replaces the wall clock, for tests.
func WithClock(c stream.Clock) Option {
	return func(s *Session) error { s.clock = c; return nil }
}

// WithCrashPoints calls fn at the named points between the steps of each
// micro-batch, from more than one goroutine; an error that it returns ends the query there, as
// a crash would. For tests.
func WithCrashPoints(fn func(point string) error) Option {
	return func(s *Session) error { s.crash = fn; return nil }
}

// New makes a session.
func New(opts ...Option) (*Session, error) {
	s := &Session{conf: map[string]string{}, views: map[string]*plan.View{}, log: slog.Default()}
	s.ended = sync.NewCond(&s.mu)
	for _, o := range opts {
		if err := o(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// SetConf sets a configuration value. Known settings are checked: the error is
// INVALID_CONF_VALUE.* with what is allowed. Running queries keep the values they started with.
func (s *Session) SetConf(key, value string) error {
	if err := checkConf(key, value); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conf[key] = value
	return nil
}

func checkConf(key, value string) error {
	switch key {
	case "spark.sql.streaming.multipleWatermarkPolicy":
		_, err := watermark.ParsePolicy(value)
		return err
	case "spark.sql.session.timeZone":
		if _, ok := text.ParseZone(value); !ok {
			return condition.New("INVALID_CONF_VALUE.TIME_ZONE", "confName", key, "confValue", value)
		}
	case "spark.sql.ansi.enabled", "spark.sql.caseSensitive":
		if v := strings.ToLower(value); v != "true" && v != "false" {
			return condition.New("INVALID_CONF_VALUE.TYPE_MISMATCH", "confName", key, "confValue", value, "confType", "boolean")
		}
	case "spark.sql.shuffle.partitions":
		if n, ok := positive(value); !ok || n > maxPartitions {
			return condition.New("INVALID_CONF_VALUE.REQUIREMENT", "confName", key, "confValue", value, "confRequirement", "The value must be an integer from 1 to 1024.")
		}
	}
	return nil
}

// Conf is a configuration value, "" if it was not set.
func (s *Session) Conf(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conf[key]
}

func (s *Session) confCopy() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.conf)
}

// kernelConf is what functions see of the session.
func (s *Session) kernelConf() *kernels.Conf {
	conf := s.confCopy()
	c := &kernels.Conf{ANSI: !strings.EqualFold(conf["spark.sql.ansi.enabled"], "false"), Zone: time.UTC, Conf: conf}
	if z := conf["spark.sql.session.timeZone"]; z != "" {
		if loc, ok := text.ParseZone(z); ok {
			c.Zone = loc
		}
	}
	return c
}

// resolve makes a path absolute. URLs with a scheme stay as they are.
func (s *Session) resolve(path string) string {
	if strings.Contains(path, "://") || filepath.IsAbs(path) {
		return path
	}
	if abs, err := filepath.Abs(filepath.Join(s.dir, path)); err == nil {
		return abs
	}
	return path
}

func (s *Session) analyser() *plan.Analyser {
	return plan.NewAnalyser(catalog{s}, s.kernelConf())
}

// catalog shows the session's views to the analyser.
type catalog struct{ s *Session }

func (c catalog) Relation([]string) (*plan.Relation, bool) { return nil, false }

func (c catalog) View(name []string) (*plan.View, bool) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	v, ok := c.s.views[strings.ToLower(strings.Join(name, "."))]
	return v, ok
}

func (c catalog) Names() []string {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	out := append([]string{}, c.s.names...)
	sort.Strings(out)
	return out
}

// Queries are the queries that were started and have not ended.
func (s *Session) Queries() []*Query {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*Query
	for _, q := range s.queries {
		if q.Active() {
			out = append(out, q)
		}
	}
	return out
}

// AwaitAny waits until one of the session's queries has ended and returns it, or
// the error of ctx. A query that had ended before is returned at once.
func (s *Session) AwaitAny(ctx context.Context) (*Query, error) {
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended.Broadcast()
	})()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for _, q := range s.queries {
			if !q.Active() {
				return q, nil
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.ended.Wait()
	}
}

// Stop stops all queries after the micro-batches that are running.
func (s *Session) Stop(ctx context.Context) error {
	for _, q := range s.Queries() {
		if err := q.Stop(ctx); err != nil {
			return err
		}
	}
	return nil
}
