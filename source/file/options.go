package file

import (
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/source"
)

// options are the options of the source itself; those of the format are parsed by it.
type options struct {
	path           string // as the user gave it
	maxFiles       int64  // per batch, 0: no limit
	maxBytes       int64  // per batch, 0: no limit
	latestFirst    bool
	maxAgeMs       int64
	nameOnly       bool
	recursive      bool
	globFilter     string
	ignoreCorrupt  bool
	ignoreMissing  bool
	clean          cleanMode
	archiveDir     string
	cachedFiles    int     // unread files that are kept from one batch to the next
	discardCacheAt float64 // share of cachedFiles below which the rest is listed anew
}

type cleanMode uint8

const (
	cleanOff cleanMode = iota
	cleanArchive
	cleanDelete
)

const weekMs = 7 * 24 * 3600 * 1000

// streamOptions documents the options that all formats share.
var streamOptions = []source.Option{
	{Name: "path", Type: "string", Doc: "File, directory or glob, as a path or a file:// URL."},
	{Name: "maxFilesPerTrigger", Type: "int", Doc: "Most files of one batch."},
	{Name: "maxBytesPerTrigger", Type: "bytes", Doc: "Soft limit of the bytes of one batch; a batch has at least one file."},
	{Name: "latestFirst", Type: "boolean", Default: "false", Doc: "Process the newest files first."},
	{Name: "maxFileAge", Type: "duration", Default: "7d", Doc: "Files older than this, against the newest file seen, are ignored."},
	{Name: "fileNameOnly", Type: "boolean", Default: "false", Doc: "Take files of the same name in different directories for the same file."},
	{Name: "pathGlobFilter", Type: "string", Doc: "Only read files whose name matches this glob."},
	{Name: "recursiveFileLookup", Type: "boolean", Default: "false", Doc: "Read files in all subdirectories."},
	{Name: "ignoreCorruptFiles", Type: "boolean", Default: "false", Doc: "Skip what cannot be read of a damaged file."},
	{Name: "ignoreMissingFiles", Type: "boolean", Default: "false", Doc: "Skip files that have disappeared."},
	{Name: "cleanSource", Type: "string", Default: "off", Doc: "What happens to processed files: archive, delete or off."},
	{Name: "sourceArchiveDir", Type: "string", Doc: "Where cleanSource=archive moves files."},
	{Name: "maxCachedFiles", Type: "int", Default: "10000", Doc: "Most unread files that are remembered for the next batches."},
	{Name: "discardCachedInputRatio", Type: "double", Default: "0.2", Doc: "Share of maxCachedFiles below which the remembered files are listed anew."},
}

func parseOptions(o source.Options, conf map[string]string) (options, error) {
	p := parser{o: o}
	r := options{
		path:           p.text("path", ""),
		maxFiles:       p.positive("maxFilesPerTrigger", "a positive integer", parseCount),
		maxBytes:       p.positive("maxBytesPerTrigger", "a positive size in bytes", text.ParseBytes),
		latestFirst:    p.flag("latestFirst", "false"),
		maxAgeMs:       weekMs,
		nameOnly:       p.flag("fileNameOnly", "false"),
		recursive:      p.flag("recursiveFileLookup", "false"),
		globFilter:     p.text("pathGlobFilter", ""),
		ignoreCorrupt:  p.flag("ignoreCorruptFiles", conf["spark.sql.files.ignoreCorruptFiles"]),
		ignoreMissing:  p.flag("ignoreMissingFiles", conf["spark.sql.files.ignoreMissingFiles"]),
		archiveDir:     p.text("sourceArchiveDir", ""),
		cachedFiles:    10000,
		discardCacheAt: 0.2,
	}
	if v, ok := o.Get("maxFileAge"); ok {
		ms, ok := text.ParseMillis(v)
		p.check("maxFileAge", v, ok, "a duration such as 7d")
		r.maxAgeMs = ms
	}
	if v, ok := o.Get("maxCachedFiles"); ok {
		n, err := strconv.Atoi(v)
		p.check("maxCachedFiles", v, err == nil && n >= 0, "a number of files")
		r.cachedFiles = n
	}
	if v, ok := o.Get("discardCachedInputRatio"); ok {
		f, err := strconv.ParseFloat(v, 64)
		p.check("discardCachedInputRatio", v, err == nil && f >= 0 && f <= 1, "a number from 0 to 1")
		r.discardCacheAt = f
	}
	if r.globFilter != "" {
		_, err := path.Match(r.globFilter, "")
		p.check("pathGlobFilter", r.globFilter, err == nil, "a glob")
	}
	clean := p.text("cleanSource", "off")
	switch strings.ToLower(clean) {
	case "off":
	case "archive":
		r.clean = cleanArchive
		p.check("sourceArchiveDir", "", r.archiveDir != "", "a directory, because cleanSource is archive")
	case "delete":
		r.clean = cleanDelete
	default:
		p.check("cleanSource", clean, false, "archive, delete or off")
	}
	if r.latestFirst && (r.maxFiles > 0 || r.maxBytes > 0) {
		// Age cannot tell what is seen when the newest files go first.
		r.maxAgeMs = math.MaxInt64
	}
	p.check("path", r.path, r.path != "", "a path")
	if r.maxFiles > 0 && r.maxBytes > 0 {
		p.check("maxBytesPerTrigger", strconv.FormatInt(r.maxBytes, 10), false, "no value beside maxFilesPerTrigger")
	}
	return r, p.err
}

// parser keeps the first error.
type parser struct {
	o   source.Options
	err error
}

func (p *parser) check(name, value string, ok bool, expected string) {
	if !ok && p.err == nil {
		p.err = condition.New("VSTREAM_INVALID_OPTION", "option", name, "value", value, "expected", expected)
	}
}

func (p *parser) text(name, def string) string {
	if v, ok := p.o.Get(name); ok {
		return v
	}
	return def
}

func (p *parser) flag(name, def string) bool {
	v := p.text(name, def)
	on := strings.EqualFold(v, "true")
	p.check(name, v, on || v == "" || strings.EqualFold(v, "false"), "true or false")
	return on
}

func (p *parser) positive(name, expected string, parse func(string) (int64, bool)) int64 {
	v, ok := p.o.Get(name)
	if !ok {
		return 0
	}
	n, ok := parse(v)
	p.check(name, v, ok && n > 0, expected)
	return n
}

func parseCount(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 32)
	return n, err == nil
}
