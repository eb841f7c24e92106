package parquet

import (
	"encoding/binary"
	"errors"
)

var errHybrid = errors.New("a run of encoded values ends early")

// hybrid decodes Parquet's RLE/bit-packing hybrid: runs of one value repeated, and runs of
// values in width bits each, from the lowest bit of the first byte on.
type hybrid struct {
	data  []byte // what follows the current run
	width int    // at most 32

	repeat int // values left of a run of one value
	value  uint32

	packed []byte // of a run of packed values and, so that a load need not end with it, all behind
	bit    int    // where the next value begins in packed
	left   int    // values left of it
}

// run begins the next run.
func (h *hybrid) run() error {
	header, n := binary.Uvarint(h.data)
	if n <= 0 || header>>1 > 1<<31 {
		return errHybrid
	}
	h.data = h.data[n:]
	count := int(header >> 1)
	if header&1 == 1 {
		h.packed, h.bit, h.left = h.data, 0, 8*count
		h.data = h.data[min(count*h.width, len(h.data)):]
		return nil
	}
	size := (h.width + 7) / 8
	if size > len(h.data) {
		return errHybrid
	}
	h.repeat, h.value = count, 0
	for i, b := range h.data[:size] {
		h.value |= uint32(b) << (8 * i)
	}
	h.data = h.data[size:]
	return nil
}

// take makes the current run n values shorter, n being at most what is left.
func (h *hybrid) take(n int) {
	h.bit += n * h.width
	h.left -= n
}

// load is the packed value at a bit.
func (h *hybrid) load(bit int) (uint32, error) {
	var b [8]byte
	if at := bit >> 3; at+(bit&7+h.width+7)/8 <= len(h.packed) {
		copy(b[:], h.packed[at:])
		return uint32(binary.LittleEndian.Uint64(b[:]) >> (bit & 7) & (1<<h.width - 1)), nil
	}
	return 0, errHybrid
}

// fast is how many of the next n packed values can be loaded with eight bytes.
func (h *hybrid) fast(n int) int {
	if h.width == 0 {
		return 0
	}
	bits := 8*(len(h.packed)-8) - h.bit
	return max(0, min(n, bits/h.width))
}

// levels decodes definition levels.
func (h *hybrid) levels(out []int16) error {
	for len(out) > 0 {
		var n int
		switch {
		case h.repeat > 0:
			n = min(h.repeat, len(out))
			for i := range out[:n] {
				out[i] = int16(h.value)
			}
			h.repeat -= n
		case h.left > 0:
			n = min(h.left, len(out))
			for i := range out[:n] {
				v, err := h.load(h.bit + i*h.width)
				if err != nil {
					return err
				}
				out[i] = int16(v)
			}
			h.take(n)
		default:
			if err := h.run(); err != nil {
				return err
			}
		}
		out = out[n:]
	}
	return nil
}

// lookUp decodes positions in dict and gives the values there. A position behind the end
// of dict panics, as any access does; the caller recovers.
func lookUp[P any](h *hybrid, dict, out []P) error {
	for len(out) > 0 {
		var n int
		switch {
		case h.repeat > 0:
			n = min(h.repeat, len(out))
			v := dict[h.value]
			for i := range out[:n] {
				out[i] = v
			}
			h.repeat -= n
		case h.left > 0:
			n = min(h.left, len(out))
			fast := h.fast(n)
			packed, width, bit, mask := h.packed, h.width, h.bit, uint64(1)<<h.width-1
			for i := range out[:fast] {
				x := binary.LittleEndian.Uint64(packed[bit>>3:]) >> (bit & 7)
				out[i] = dict[x&mask]
				bit += width
			}
			for i := fast; i < n; i++ {
				v, err := h.load(h.bit + i*width)
				if err != nil {
					return err
				}
				out[i] = dict[v]
			}
			h.take(n)
		default:
			if err := h.run(); err != nil {
				return err
			}
		}
		out = out[n:]
	}
	return nil
}
