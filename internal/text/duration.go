package text

import (
	"strconv"
	"strings"
)

// ParseMillis reads a time as Spark's timeStringAsMs does (10s, 5min, 7d; a bare number
// is milliseconds) or as an interval ("7 days"), and gives milliseconds. Negative times and months
// are not ok.
func ParseMillis(s string) (ms int64, ok bool) {
	t := strings.ToLower(strings.TrimSpace(s))
	digits := strings.TrimRight(t, "abcdefghijklmnopqrstuvwxyz")
	unit, ok := map[string]float64{"": 1, "us": 0.001, "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}[t[len(digits):]]
	if n, err := strconv.ParseInt(digits, 10, 64); ok && err == nil && n >= 0 {
		return int64(float64(n) * unit), true
	}
	months, days, micros, ok := ParseInterval([]byte(s))
	ms = int64(days)*86_400_000 + micros/1000
	return ms, ok && months == 0 && ms >= 0
}
