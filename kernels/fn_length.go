package kernels

import (
	"math/bits"

	"github.com/vstream/vstream/vector"
)

// evalLength counts the characters of texts.
func evalLength(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
	out := vector.Make[int32](ctx.Temp, n)
	if t := textsOf(args[0]); args[0].Const || !charCounts(out, t) {
		for i := range out {
			out[i] = int32(charCount(t.at(i)))
		}
	}
	return vector.Vec{Arr: vector.NewFixed(vector.Int, out, Validity(n, args...))}, nil
}

// charCounts counts the characters of texts that all are whole characters: the bytes of all
// rows are looked at a word at a time, and a row's characters are its bytes without those of
// the form 10xxxxxx, which marks tells. It is false if there are other texts or long ones.
func charCounts(out []int32, t texts) bool {
	n := len(out)
	if n == 0 {
		return true
	}
	base := t.off[0]
	data := t.data[base:t.off[n]]
	marks := make([]uint64, len(data)/64+2)
	// Lead bytes tell where those bytes should be; due are the places in the next word, odd
	// those where it is not so. What matters of a byte is its highest bit.
	due, odd := uint64(0), uint64(0)
	for i := 0; i < len(data); i += 8 {
		var w uint64
		if i+8 <= len(data) {
			w = word(data, i)
		} else {
			w = tailWord(data[i:])
		}
		if (w|due)&highBits == 0 {
			continue
		}
		more := w &^ (w << 1) & highBits
		lead := w & (w << 1) & highBits
		three := lead & (w << 2)
		four := three & (w << 3)
		none := lead&^((w&(0x3e*lowBits))+0x7f*lowBits) | four&(w<<4) // c0, c1; f8 and above
		odd |= none | (more ^ (due | lead<<8 | three<<16 | four<<24))
		due = lead>>56 | three>>48 | four>>40
		marks[i>>6] |= (more >> 7 * 0x01020408_10204080 >> 56) << (i & 63)
	}
	if odd|due != 0 {
		return false
	}
	at, first := 0, uint64(0)
	for i := range out {
		end := int(t.off[i+1] - base)
		size := end - at
		if size > 64 {
			return false
		}
		m := marks[at>>6]>>(at&63) | marks[at>>6+1]<<1<<(63-at&63)
		m &= 1<<size - 1
		first |= m // its lowest bit: the row's first character begins in the row before
		out[i] = int32(size - bits.OnesCount64(m))
		at = end
	}
	return first&1 == 0
}
