// Package json turns JSON text into columns: a schema-directed parser that
// follows Spark's JSON reader, shared by file sources and from_json, and the
// inference of a schema.
package json

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

// Options are the reader's options, named as Spark's JSON options.
type Options struct {
	Mode                Mode
	CorruptRecordColumn string         // a STRING column of this name takes the text of malformed records
	Zone                *time.Location // of timestamps without a zone
	TimestampFormat     *javatime.Pattern
	TimestampNTZFormat  *javatime.Pattern
	DateFormat          *javatime.Pattern
	// ParsingFallback makes a timestamp or date that does not match its format be
	// read as a cast would.
	ParsingFallback bool
	// ExactStrings keeps the source text of a number, array or object that is read
	// as STRING; otherwise it is printed anew (1.10 becomes 1.1). Spark's file
	// reader is exact, from_json is not.
	ExactStrings            bool
	NoSingleQuotes          bool
	NoNonNumericNumbers     bool
	AllowUnquotedFieldNames bool
	AllowLeadingZeros       bool
	AllowBackslashAny       bool
	AllowControlChars       bool
	AllowComments           bool
	PrimitivesAsString      bool // inference only
	PrefersDecimal          bool // inference only
}

// ParseOptions reads Spark's option map; keys compare without regard to case,
// unknown ones are ignored. zone is the session's time zone, corrupt the value of
// spark.sql.columnNameOfCorruptRecord ("" for the default _corrupt_record).
func ParseOptions(m map[string]string, zone *time.Location, corrupt string) (Options, error) {
	o := Options{Zone: zone, CorruptRecordColumn: corrupt}
	if corrupt == "" {
		o.CorruptRecordColumn = "_corrupt_record"
	}
	low := make(map[string]string, len(m))
	for k, v := range m {
		low[strings.ToLower(k)] = v
	}
	if v, ok := low["columnnameofcorruptrecord"]; ok {
		o.CorruptRecordColumn = v
	}
	switch strings.ToUpper(low["mode"]) {
	case "DROPMALFORMED":
		o.Mode = DropMalformed
	case "FAILFAST":
		o.Mode = FailFast
	}
	if v, ok := low["timezone"]; ok {
		z, ok := text.ParseZone(v)
		if !ok {
			return o, condition.New("INVALID_TIMEZONE", "timeZone", v)
		}
		o.Zone = z
	}
	for key, p := range map[string]**javatime.Pattern{
		"timestampformat": &o.TimestampFormat, "timestampntzformat": &o.TimestampNTZFormat, "dateformat": &o.DateFormat,
	} {
		v, ok := low[key]
		if !ok {
			continue
		}
		pat, err := javatime.Compile(v, true)
		if err != nil {
			return o, err
		}
		*p = pat
	}
	flag := func(key string, set *bool, when bool) {
		if v, ok := low[key]; ok {
			*set = strings.EqualFold(v, "true") == when
		}
	}
	flag("enabledatetimeparsingfallback", &o.ParsingFallback, true)
	flag("allowsinglequotes", &o.NoSingleQuotes, false)
	flag("allownonnumericnumbers", &o.NoNonNumericNumbers, false)
	flag("allowunquotedfieldnames", &o.AllowUnquotedFieldNames, true)
	flag("allownumericleadingzeros", &o.AllowLeadingZeros, true)
	flag("allowbackslashescapinganycharacter", &o.AllowBackslashAny, true)
	flag("allowunquotedcontrolchars", &o.AllowControlChars, true)
	flag("allowcomments", &o.AllowComments, true)
	flag("primitivesasstring", &o.PrimitivesAsString, true)
	flag("prefersdecimal", &o.PrefersDecimal, true)
	return o, nil
}
