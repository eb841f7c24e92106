package csv

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/render"
)

// WriteOptions are the options of Spark's CSV writer; DefaultWriteOptions holds the defaults.
type WriteOptions struct {
	Header     bool
	Sep        byte
	Quote      byte
	Escape     byte // before a quote, and before itself, within quotes
	NullValue  string
	EmptyValue string // stands for an empty string
	QuoteAll   bool
	BareQuotes bool // a quote within a value is no reason to quote it
	// KeepLeading and KeepTrailing leave the blanks around a value.
	KeepLeading, KeepTrailing bool
	LineSep                   string
	Formats                   render.Formats
}

// DefaultWriteOptions are Spark's defaults.
func DefaultWriteOptions() WriteOptions {
	return WriteOptions{Sep: ',', Quote: '"', Escape: '\\', EmptyValue: `""`, LineSep: "\n"}
}

// ParseWriteOptions reads Spark's option map; keys compare without regard to
// case, unknown ones are ignored. zone is the session's time zone.
func ParseWriteOptions(m map[string]string, zone *time.Location) (WriteOptions, error) {
	o := DefaultWriteOptions()
	o.Formats.Zone = zone
	for _, k := range slices.Sorted(maps.Keys(m)) {
		v := m[k]
		if err := o.Formats.Option(k, v); err != nil {
			return o, err
		}
		var err error
		switch strings.ToLower(k) {
		case "header":
			o.Header, err = boolean(k, v)
		case "sep", "delimiter":
			if v == `\t` {
				v = "\t"
			}
			if v == "" {
				err = invalid(k, v, "one character")
			} else {
				o.Sep, err = character(k, v)
			}
		case "quote":
			o.Quote, err = character(k, v)
		case "escape":
			o.Escape, err = character(k, v)
		case "nullvalue":
			o.NullValue = v
		case "emptyvalue":
			o.EmptyValue = v
		case "quoteall":
			o.QuoteAll, err = boolean(k, v)
		case "escapequotes":
			var escape bool
			escape, err = boolean(k, v)
			o.BareQuotes = !escape
		case "ignoreleadingwhitespace":
			var ignore bool
			ignore, err = boolean(k, v)
			o.KeepLeading = !ignore
		case "ignoretrailingwhitespace":
			var ignore bool
			ignore, err = boolean(k, v)
			o.KeepTrailing = !ignore
		case "linesep":
			o.LineSep = v
		case "encoding", "charset":
			if !strings.EqualFold(v, "UTF-8") && !strings.EqualFold(v, "UTF8") {
				err = invalid(k, v, "UTF-8")
			}
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

func boolean(option, v string) (bool, error) {
	switch strings.ToLower(v) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, invalid(option, v, "true or false")
}

// character reads an option of one ASCII character; an empty one is the zero byte, as in Spark.
func character(option, v string) (byte, error) {
	switch {
	case v == "":
		return 0, nil
	case len(v) == 1:
		return v[0], nil
	}
	return 0, invalid(option, v, "one character")
}

func invalid(option, v, expected string) error {
	return condition.New("VSTREAM_INVALID_OPTION", "option", option, "value", v, "expected", expected)
}
