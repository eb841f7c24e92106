package sketch

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

func formatDouble(d float64) string { return strconv.FormatFloat(d, 'g', -1, 64) }

// hashBigInt is scala.math.BigInt's hash code, which for a number that fits is
// that of Scala's Int or Long.
func hashBigInt(v *big.Int) int32 {
	if v.IsInt64() {
		return hashScalaLong(v.Int64())
	}
	return hashJavaBigInt(v)
}

// hashScalaLong is the hash of a Long that equals the one of the same Int.
func hashScalaLong(v int64) int32 {
	if v == int64(int32(v)) {
		return int32(v)
	}
	return foldLong(uint64(v))
}

// hashJavaBigInt is java.math.BigInteger.hashCode.
func hashJavaBigInt(v *big.Int) int32 {
	h := int32(0)
	p := v.Bytes()
	for len(p)%4 != 0 {
		p = append([]byte{0}, p...)
	}
	for ; len(p) > 0; p = p[4:] {
		h = 31*h + int32(uint32(p[0])<<24|uint32(p[1])<<16|uint32(p[2])<<8|uint32(p[3]))
	}
	return h * int32(v.Sign())
}

// hashDouble is Scala's hash of a Double that is no whole number.
func hashDouble(d float64) int32 {
	if float64(float32(d)) == d {
		return int32(math.Float32bits(float32(d)))
	}
	return foldLong(math.Float64bits(d))
}

// scalaMix is the last step of scala.util.hashing.MurmurHash3.
func scalaMix(hash, data int32) int32 {
	return hash ^ int32(bits.RotateLeft32(uint32(data)*0xcc9e2d51, 15)*0x1b873593)
}
