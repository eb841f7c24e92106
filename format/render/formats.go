package render

import (
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/internal/javatime"
	"github.com/vstream/vstream/internal/text"
	"github.com/vstream/vstream/vector"
)

// Formats are the formats in which Spark's JSON and CSV writers print dates and times.
type Formats struct {
	Zone         *time.Location    // of timestamps; nil is UTC
	Timestamp    *javatime.Pattern // nil is yyyy-MM-dd'T'HH:mm:ss.SSSXXX
	TimestampNTZ *javatime.Pattern // nil is yyyy-MM-dd'T'HH:mm:ss.SSS
	Date         *javatime.Pattern // nil is yyyy-MM-dd
}

// Option reads one option of Spark's writers if it is one of these formats:
// timestampFormat, timestampNTZFormat, dateFormat or timeZone, in any case. A
// bad value gives the pattern's condition or INVALID_TIMEZONE.
func (f *Formats) Option(name, value string) (err error) {
	switch strings.ToLower(name) {
	case "timestampformat":
		f.Timestamp, err = javatime.Compile(value, false)
	case "timestampntzformat":
		f.TimestampNTZ, err = javatime.Compile(value, false)
	case "dateformat":
		f.Date, err = javatime.Compile(value, false)
	case "timezone":
		zone, ok := text.ParseZone(value)
		if !ok {
			return condition.New("INVALID_TIMEZONE", "timeZone", value)
		}
		f.Zone = zone
	}
	return err
}

// Column is the printer of the values, which are not null, of a date or
// timestamp column. custom is true if a user's pattern prints them, so that any
// character may come out.
func (f Formats) Column(t *vector.Type, a arrow.Array) (print Append, custom bool) {
	zone, pattern := f.Zone, f.Timestamp
	switch t.Kind {
	case vector.KindDate:
		v := vector.Values[int32](a)
		if f.Date == nil {
			return func(b []byte, i int) []byte { return text.AppendDate(b, int64(v[i])) }, false
		}
		return func(b []byte, i int) []byte { return f.Date.Append(b, int64(v[i])*text.MicrosPerDay, time.UTC) }, true
	case vector.KindTimestampNTZ:
		zone, pattern = time.UTC, f.TimestampNTZ
	}
	if zone == nil {
		zone = time.UTC
	}
	v := vector.Values[int64](a)
	switch {
	case pattern != nil:
		return func(b []byte, i int) []byte { return pattern.Append(b, v[i], zone) }, true
	case t.Kind == vector.KindTimestampNTZ:
		return func(b []byte, i int) []byte { return text.AppendTimestampMillis(b, v[i]) }, false
	}
	clock := text.NewClock(zone)
	return func(b []byte, i int) []byte {
		local := clock.Local(v[i])
		b = text.AppendTimestampMillis(b, local)
		if local == v[i] {
			return append(b, 'Z')
		}
		return append(b, text.FormatOffset(int((local-v[i])/text.MicrosPerSecond))...)
	}, false
}
