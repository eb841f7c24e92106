package sketch

import (
	"encoding/binary"
	"math"
	"math/big"
	"unicode/utf8"
)

// ItemCodec says how the items of a sketch lie in bytes, which is also how they
// are passed to it: numbers in little-endian order (small ones behind a byte that
// tells their type), a text as it is, a large decimal as its big-endian unscaled
// value.
type ItemCodec struct {
	Kind  ItemKind
	Scale int // of decimals
}

// ItemKind is the form of items.
type ItemKind uint8

// The forms: each names the Java type whose hash code places the item.
const (
	ItemBool ItemKind = iota
	ItemByte
	ItemShort
	ItemInt
	ItemFloat
	ItemLong
	ItemDouble
	ItemString
	ItemDecimalInt  // decimals of up to 9 digits
	ItemDecimalLong // of up to 18
	ItemDecimalBig
)

// The bytes that tell the type of small numbers.
var itemTags = map[ItemKind]byte{ItemByte: 2, ItemShort: 3, ItemInt: 9, ItemFloat: 6, ItemDecimalInt: 9}

// Tag is the byte before a number of a kind; false if there is none.
func (k ItemKind) Tag() (byte, bool) {
	t, ok := itemTags[k]
	return t, ok
}

// width is the number of bytes of an item with its tag; 0 if they vary.
func (k ItemKind) width() int {
	switch k {
	case ItemBool:
		return 1
	case ItemByte:
		return 2
	case ItemShort:
		return 3
	case ItemInt, ItemFloat, ItemDecimalInt:
		return 5
	case ItemLong, ItemDouble, ItemDecimalLong:
		return 8
	}
	return 0
}

func (c ItemCodec) appendAll(dst []byte, keys [][]byte) []byte {
	if c.Kind == ItemBool {
		at := len(dst)
		dst = append(dst, make([]byte, (len(keys)+7)/8)...)
		for i, k := range keys {
			dst[at+i/8] |= k[0] << (i % 8)
		}
		return dst
	}
	for _, k := range keys {
		if c.Kind.width() == 0 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(len(k)))
		}
		dst = append(dst, k...)
	}
	return dst
}

func (c ItemCodec) readAll(p []byte, n int) (keys [][]byte, ok bool) {
	keys = make([][]byte, n)
	if c.Kind == ItemBool {
		if len(p) < (n+7)/8 {
			return nil, false
		}
		for i := range keys {
			keys[i] = []byte{p[i/8] >> (i % 8) & 1}
		}
		return keys, true
	}
	tag, tagged := c.Kind.Tag()
	for i := range keys {
		w := c.Kind.width()
		if w == 0 {
			if len(p) < 4 {
				return nil, false
			}
			w, p = int(binary.LittleEndian.Uint32(p)), p[4:]
		}
		if w > len(p) || tagged && p[0] != tag {
			return nil, false
		}
		keys[i], p = p[:w], p[w:]
	}
	return keys, true
}

// hash is the item's Java hash code.
func (c ItemCodec) hash(key []byte) int32 {
	switch c.Kind {
	case ItemBool:
		if key[0] != 0 {
			return 1231
		}
		return 1237
	case ItemByte:
		return int32(int8(key[1]))
	case ItemShort:
		return int32(int16(binary.LittleEndian.Uint16(key[1:])))
	case ItemInt, ItemFloat:
		return int32(binary.LittleEndian.Uint32(key[1:]))
	case ItemLong, ItemDouble:
		return foldLong(binary.LittleEndian.Uint64(key))
	case ItemString:
		return hashUTF16(key)
	case ItemDecimalInt:
		return hashDecimal(big.NewInt(int64(int32(binary.LittleEndian.Uint32(key[1:])))), c.Scale)
	case ItemDecimalLong:
		return hashDecimal(big.NewInt(int64(binary.LittleEndian.Uint64(key))), c.Scale)
	}
	return hashDecimal(SignedInt(key), c.Scale)
}

func foldLong(v uint64) int32 { return int32(v ^ v>>32) }

// hashUTF16 is String.hashCode of a text.
func hashUTF16(p []byte) int32 {
	h := int32(0)
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		p = p[n:]
		if r > 0xffff {
			r -= 0x10000
			h = 31*h + 0xd800 + r>>10
			r = 0xdc00 + r&0x3ff
		}
		h = 31*h + r
	}
	return h
}

// SignedInt reads a big-endian two's complement number.
func SignedInt(p []byte) *big.Int {
	v := new(big.Int).SetBytes(p)
	if len(p) > 0 && p[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(p))))
	}
	return v
}

// hashDecimal is scala.math.BigDecimal's hash code of v·10^-scale: that of the
// integer or of the double if the value is one, else one of digits and scale.
func hashDecimal(v *big.Int, scale int) int32 {
	ten, rest := big.NewInt(10), new(big.Int)
	v = new(big.Int).Set(v)
	for scale > 0 && v.Sign() != 0 {
		q, r := new(big.Int).QuoRem(v, ten, rest)
		if r.Sign() != 0 {
			break
		}
		v, scale = q, scale-1
	}
	if scale == 0 || v.Sign() == 0 {
		return hashBigInt(v)
	}
	f := new(big.Rat).SetFrac(v, new(big.Int).Exp(ten, big.NewInt(int64(scale)), nil))
	if d, _ := f.Float64(); isShortest(d, f) {
		return hashDouble(d)
	}
	return scalaMix(hashJavaBigInt(v), int32(scale))
}

// isShortest tells whether the shortest decimal of a double is exactly f.
func isShortest(d float64, f *big.Rat) bool {
	if math.IsInf(d, 0) {
		return false
	}
	s, ok := new(big.Rat).SetString(formatDouble(d))
	return ok && s.Cmp(f) == 0
}
