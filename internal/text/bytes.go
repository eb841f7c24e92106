package text

import (
	"math"
	"strconv"
	"strings"
)

// ParseBytes reads a size as Spark's byteStringAsBytes does: 100, 10k, 1mb, 2g.
func ParseBytes(s string) (int64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	digits := strings.TrimRight(s, "bkmgtp")
	shift, ok := map[string]int{"": 0, "b": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30, "t": 40, "tb": 40, "p": 50, "pb": 50}[s[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 64)
	return n << shift, ok && err == nil && n >= 0 && n <= math.MaxInt64>>shift
}
