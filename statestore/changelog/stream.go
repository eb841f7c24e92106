package changelog

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"
)

// Codecs of a stream of bytes.
const (
	codecRaw  = 0
	codecS2   = 1
	codecZero = 2 // all bytes are zero and none is written
)

// maxStream limits what one stream may hold, so that a damaged length cannot ask for
// all memory.
const maxStream = 1 << 30

var errTruncated = errors.New("it ends too early")

// appendStream appends raw, compressed if that makes it shorter.
func (e *encoder) appendStream(dst, raw []byte) []byte {
	if allZero(raw) {
		return append(dst, codecZero)
	}
	if n := s2.MaxEncodedLen(len(raw)); cap(e.comp) < n {
		e.comp = make([]byte, n)
	}
	comp := s2.Encode(e.comp[:cap(e.comp)], raw)
	if len(comp) >= len(raw) {
		return append(append(dst, codecRaw), raw...)
	}
	dst = binary.AppendUvarint(append(dst, codecS2), uint64(len(comp)))
	return append(dst, comp...)
}

func allZero(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// reader takes a section apart. The first error stays.
type reader struct {
	b    []byte
	err  error
	room []byte // scratch for planes
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
		r.b = nil
	}
}

func (r *reader) bytes(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.b) {
		r.fail(errTruncated)
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// uvarint reads a number of at most limit.
func (r *reader) uvarint(limit uint64, what string) int {
	v, n := binary.Uvarint(r.b)
	if r.err != nil || n <= 0 {
		r.fail(errTruncated)
		return 0
	}
	if v > limit {
		r.fail(fmt.Errorf("%s %d is over the limit of %d", what, v, limit))
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

// text reads a length and so many bytes.
func (r *reader) text() string {
	return string(r.bytes(r.uvarint(maxName, "name length")))
}

// stream reads a stream of exactly n raw bytes into room, if that is large enough, or
// fresh memory. A raw stream is not copied.
func (r *reader) stream(n int, room []byte) []byte {
	if n > maxStream {
		r.fail(fmt.Errorf("a stream of %d bytes is over the limit of %d", n, maxStream))
		return nil
	}
	switch codec := r.byte(); {
	case r.err != nil:
		return nil
	case codec == codecZero:
		out := grow(room, n)
		clear(out)
		return out
	case codec == codecRaw:
		return r.bytes(n)
	case codec == codecS2:
		comp := r.bytes(r.uvarint(maxStream, "compressed length"))
		if got, err := s2.DecodedLen(comp); r.err == nil && (err != nil || got != n) {
			r.fail(errors.New("a compressed stream has another length than its rows need"))
		}
		if r.err != nil {
			return nil
		}
		out, err := s2.Decode(grow(room, n), comp)
		if err != nil {
			r.fail(err)
		}
		return out
	default:
		r.fail(fmt.Errorf("unknown stream codec %d", codec))
		return nil
	}
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
