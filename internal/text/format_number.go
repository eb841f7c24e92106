package text

import (
	"math"
	"strconv"
)

// AppendDouble appends a DOUBLE as Java prints it: "1.0", "1.0E7", "4.9E-324",
// "NaN", "Infinity".
func AppendDouble(dst []byte, v float64) []byte { return appendJavaFloat(dst, v, 64) }

// AppendFloat appends a FLOAT as Java prints it.
func AppendFloat(dst []byte, v float32) []byte { return appendJavaFloat(dst, float64(v), 32) }

func appendJavaFloat(dst []byte, v float64, size int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	case v == 0:
		if math.Signbit(v) {
			dst = append(dst, '-')
		}
		return append(dst, "0.0"...)
	}
	if v < 0 {
		dst = append(dst, '-')
		v = -v
	}
	if v >= 1e-3 && v < 1e7 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, v, 'f', -1, size)
		for _, b := range dst[start:] {
			if b == '.' {
				return dst
			}
		}
		return append(dst, ".0"...)
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], v, 'e', -1, size)
	if e[1] == 'e' {
		// Java prints two digits at least, and the best two of the same exponent: 4.9E-324.
		var two [32]byte
		t := strconv.AppendFloat(two[:0], v, 'e', 1, size)
		if back, err := strconv.ParseFloat(string(t), size); err == nil && back == v && string(t[3:]) == string(e[1:]) {
			e = append(buf[:0], t...)
		}
	}
	i := 0
	for e[i] != 'e' {
		i++
	}
	dst = append(dst, e[:i]...)
	if i == 1 {
		dst = append(dst, ".0"...)
	}
	dst = append(dst, 'E')
	i++
	if e[i] == '-' {
		dst = append(dst, '-')
	}
	i++
	if e[i] == '0' {
		i++
	}
	return append(dst, e[i:]...)
}
