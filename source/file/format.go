package file

import (
	"context"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// format is how the files of one registered source are read.
type format struct {
	name    string
	summary string
	options []source.Option
	// schema is the schema of all files of the format, nil if it is the user's.
	schema *vector.Schema
	// filters tells that rows which fail a pushed-down filter do not count as input.
	filters bool
	// check refuses schemas and options that the format cannot do, when the source opens.
	check func(schema *vector.Schema, e env) error
	// infer gives the schema of the files; nil result: they do not tell.
	infer func(ctx context.Context, files []entry, e env) (*vector.Schema, error)
	// text opens a reader of text that may be compressed. lines tells whether a
	// file may be read in parts that begin behind a line end. Nil for other formats.
	text func(e env, schema *vector.Schema, need []int) (p textReader, err error)
	// lines tells whether a large file may be cut at line ends.
	lines func(e env) bool
}

// textReader parses text into columns; start tells that in is at the file's
// beginning. It is used for one read only.
type textReader func(in io.Reader, start bool, out func(cols []arrow.Array, rows int) error) error

// env is what a format may know of the options and the session.
type env struct {
	options source.Options
	conf    map[string]string
	zone    *time.Location
	absent  bool // source.Pushdown.Absent
}

func newEnv(c source.Context, o source.Options) env {
	e := env{options: o, conf: c.Conf, zone: time.UTC}
	if z, ok := text.ParseZone(c.TimeZone); ok && c.TimeZone != "" {
		e.zone = z
	}
	return e
}

func (e env) get(name string) string {
	v, _ := e.options.Get(name)
	return v
}
