// Package csv turns CSV text into columns and columns into CSV text by the rules
// of Spark's CSV data source, which are those of the univocity parser.
package csv

import (
	"strings"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/javatime"
	"github.com/vstream/vstream/internal/text"
)

// Mode says what happens to a malformed record.
type Mode uint8

// The modes of Spark's readers.
const (
	Permissive    Mode = iota // a row of the fields that could be read, nulls for the others
	DropMalformed             // no row
	FailFast                  // MALFORMED_RECORD_IN_PARSING
)

// Options are the reader's and writer's options, named as Spark's CSV options.
type Options struct {
	Header        bool
	EnforceSchema bool
	InferSchema   bool
	MultiLine     bool
	Sep           string // one or more bytes
	Quote         byte   // 0: no quotes
	Escape        byte   // 0: no escapes
	EscapeEscape  byte   // escapes an escape in front of a closing quote; 0: none
	Comment       byte   // 0: no comments
	LineSep       string // "": \n, \r\n or \r
	NullValue     string
	EmptyValue    string // what a quoted empty string is read as
	NaNValue      string
	PositiveInf   string
	NegativeInf   string
	TrimLeading   bool
	TrimTrailing  bool
	Mode          Mode
	CorruptColumn string // a STRING column of this name takes the text of malformed records
	ColumnPruning bool   // only needed columns count for whether a record is malformed
	PreferDate    bool   // inference only
	Zone          *time.Location
	Timestamp     *javatime.Pattern // nil: as CAST reads it
	TimestampNTZ  *javatime.Pattern
	Date          *javatime.Pattern
	CastFallback  bool // a text that does not match its pattern is read as CAST reads it
}

// Session are the settings of the session that readers use.
type Session struct {
	Zone *time.Location
	// CorruptColumn is spark.sql.columnNameOfCorruptRecord, "" for the default.
	CorruptColumn string
	// NoColumnPruning is set if spark.sql.csv.parser.columnPruning.enabled is false.
	NoColumnPruning bool
}

// ParseOptions reads Spark's option map; keys compare without regard to case,
// unknown ones are ignored.
func ParseOptions(m map[string]string, s Session) (Options, error) {
	p := optionMap{}
	for k, v := range m {
		p[strings.ToLower(k)] = v
	}
	o := Options{
		Header: p.flag("header", false), EnforceSchema: p.flag("enforceschema", true), InferSchema: p.flag("inferschema", false),
		MultiLine: p.flag("multiline", false), NullValue: p["nullvalue"], EmptyValue: p["emptyvalue"],
		NaNValue: p.get("nanvalue", "NaN"), PositiveInf: p.get("positiveinf", "Inf"), NegativeInf: p.get("negativeinf", "-Inf"),
		TrimLeading: p.flag("ignoreleadingwhitespace", false), TrimTrailing: p.flag("ignoretrailingwhitespace", false),
		CorruptColumn: p.get("columnnameofcorruptrecord", s.CorruptColumn), ColumnPruning: p.flag("columnpruning", !s.NoColumnPruning),
		PreferDate: p.flag("preferdate", true), Zone: s.Zone, CastFallback: p.flag("enabledatetimeparsingfallback", false), LineSep: p["linesep"],
	}
	if o.CorruptColumn == "" {
		o.CorruptColumn = "_corrupt_record"
	}
	switch strings.ToUpper(p["mode"]) {
	case "DROPMALFORMED":
		o.Mode = DropMalformed
	case "FAILFAST":
		o.Mode = FailFast
	}
	var err error
	if o.Sep, err = delimiter(p.get("sep", p.get("delimiter", ","))); err != nil {
		return o, err
	}
	for _, c := range []struct {
		key string
		def byte
		to  *byte
	}{{"quote", '"', &o.Quote}, {"escape", '\\', &o.Escape}, {"comment", 0, &o.Comment}} {
		if *c.to, err = p.char(c.key, c.def); err != nil {
			return o, err
		}
	}
	if o.Escape != o.Quote {
		o.EscapeEscape = o.Escape
	}
	if o.EscapeEscape, err = p.char("chartoescapequoteescaping", o.EscapeEscape); err != nil {
		return o, err
	}
	if enc := p.get("encoding", p.get("charset", "UTF-8")); !strings.EqualFold(enc, "UTF-8") && !strings.EqualFold(enc, "US-ASCII") {
		return o, condition.New("VSTREAM_INVALID_OPTION", "option", "encoding", "value", enc, "expected", "UTF-8")
	}
	return o, p.times(&o)
}

type optionMap map[string]string

func (p optionMap) get(key, def string) string {
	if v, ok := p[key]; ok {
		return v
	}
	return def
}

func (p optionMap) flag(key string, def bool) bool {
	if v, ok := p[key]; ok {
		return strings.EqualFold(v, "true")
	}
	return def
}

// char reads an option of one character; "" and \u0000 switch it off.
func (p optionMap) char(key string, def byte) (byte, error) {
	v, ok := p[key]
	switch {
	case !ok:
		return def, nil
	case v == "":
		return 0, nil
	case len(v) == 1 && v[0] < 0x80:
		return v[0], nil
	}
	return 0, condition.New("VSTREAM_INVALID_OPTION", "option", key, "value", v, "expected", "one ASCII character")
}

func (p optionMap) times(o *Options) error {
	if v, ok := p["timezone"]; ok {
		z, ok := text.ParseZone(v)
		if !ok {
			return condition.New("INVALID_TIMEZONE", "timeZone", v)
		}
		o.Zone = z
	}
	for _, f := range []struct {
		key string
		to  **javatime.Pattern
	}{{"timestampformat", &o.Timestamp}, {"timestampntzformat", &o.TimestampNTZ}, {"dateformat", &o.Date}} {
		if v, ok := p[f.key]; ok {
			pat, err := javatime.Compile(v, true)
			if err != nil {
				return err
			}
			*f.to = pat
		}
	}
	return nil
}

// delimiter resolves the escapes of a separator as Spark's CSVExprUtils.toDelimiterStr does.
func delimiter(s string) (string, error) {
	if s == "" {
		return "", condition.New("INVALID_DELIMITER_VALUE.EMPTY_STRING")
	}
	escapes := map[string]string{
		`\t`: "\t", `\r`: "\r", `\b`: "\b", `\f`: "\f", `\"`: `"`, `\'`: "'", `\\`: `\`, `\u0000`: "\x00",
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		if len(s) == 1 {
			return "", condition.New("INVALID_DELIMITER_VALUE.SINGLE_BACKSLASH")
		}
		n := 2
		if strings.HasPrefix(s[i:], `\u0000`) {
			n = 6
		}
		e, ok := escapes[s[i:min(i+n, len(s))]]
		if !ok {
			return "", condition.New("INVALID_DELIMITER_VALUE.UNSUPPORTED_SPECIAL_CHARACTER", "str", s)
		}
		b.WriteString(e)
		i += n
	}
	return b.String(), nil
}
