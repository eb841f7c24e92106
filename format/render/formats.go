package render

import (
	"math/big"
	"strconv"
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
			return func(b []byte, i int) []byte { return text.AppendDate(b, v[i]) }, false
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
		return func(b []byte, i int) []byte { return appendMillis(b, v[i]) }, false
	}
	return func(b []byte, i int) []byte {
		local := text.LocalMicros(v[i], zone)
		return appendOffset(appendMillis(b, local), (local-v[i])/text.MicrosPerSecond)
	}, false
}

// appendMillis prints a wall clock as yyyy-MM-dd'T'HH:mm:ss.SSS; microseconds are cut off.
func appendMillis(b []byte, local int64) []byte {
	days := text.FloorDiv(local, text.MicrosPerDay)
	ms := (local - days*text.MicrosPerDay) / 1000
	b = append(text.AppendDate(b, int32(days)), 'T')
	b = append(append2(b, ms/3_600_000), ':')
	b = append(append2(b, ms/60_000%60), ':')
	b = append(append2(b, ms/1000%60), '.')
	return append2(append(b, byte('0'+ms%1000/100)), ms%100)
}

// appendOffset prints a zone offset in seconds as Z, +05:30 or +00:53:28.
func appendOffset(b []byte, secs int64) []byte {
	if secs == 0 {
		return append(b, 'Z')
	}
	sign := byte('+')
	if secs < 0 {
		sign, secs = '-', -secs
	}
	b = append2(append(append2(append(b, sign), secs/3600), ':'), secs/60%60)
	if secs%60 != 0 {
		b = append2(append(b, ':'), secs%60)
	}
	return b
}

// JavaDecimal is the printer of the values, which are not null, of a decimal
// column as BigDecimal.toString: with an exponent once six zeros would follow the point.
func JavaDecimal(t *vector.Type, a arrow.Array) Append {
	v, scale := vector.Values[[16]byte](a), t.Scale
	return func(b []byte, i int) []byte {
		d := text.Big(v[i])
		digits := new(big.Int).Abs(d).Append(nil, 10)
		exp := len(digits) - 1 - scale
		if exp >= -6 {
			return text.AppendDecimal(b, d, scale)
		}
		if d.Sign() < 0 {
			b = append(b, '-')
		}
		b = append(b, digits[0])
		if len(digits) > 1 {
			b = append(append(b, '.'), digits[1:]...)
		}
		return strconv.AppendInt(append(b, 'E'), int64(exp), 10)
	}
}
