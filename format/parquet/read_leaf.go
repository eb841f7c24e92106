package parquet

import (
	"errors"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/vstream/vstream/vector"
)

var (
	errShort    = errors.New("column chunk ends before the row group does")
	errTooLarge = errors.New("the strings of one batch take more than 2 GiB")
)

// leafReader decodes one column chunk and collects its values that are not null.
type leafReader interface {
	// read decodes up to n levels of one page or more; def and rep, if not nil,
	// receive them. It returns how many there were, 0 at the end of the chunk.
	read(n int, def, rep []int16) (int, error)
	// array makes a column of n slots of the values read since the last call; the
	// slots that valid marks take them in order (nil: all).
	array(n int, valid vector.Bitmap) (arrow.Array, error)
}

// fill reads exactly n levels.
func fill(r leafReader, n int, def, rep []int16) error {
	for done := 0; done < n; {
		k, err := r.read(n-done, tail(def, done), tail(rep, done))
		if err != nil {
			return err
		}
		if k == 0 {
			return errShort
		}
		done += k
	}
	return nil
}

func tail(s []int16, from int) []int16 {
	if s == nil {
		return nil
	}
	return s[from:]
}

// batcher is a typed column chunk reader of the Parquet library.
type batcher[P any] interface {
	ReadBatch(n int64, values []P, def, rep []int16) (int64, int, error)
	Err() error
}

// pager is a batcher whose values are valid until its next call.
type pager[P any] interface {
	ReadBatchInPage(n int64, values []P, def, rep []int16) (int64, int, error)
	Err() error
}

// fixedLeaf reads physical values P as column values T of fixed width.
type fixedLeaf[P, T any] struct {
	t    *vector.Type
	rd   batcher[P]
	conv func(dst []T, src []P) // nil: P is T
	src  []P
	out  []T // values, the first k are set
	k    int
}

func (l *fixedLeaf[P, T]) read(n int, def, rep []int16) (int, error) {
	if need := l.k + n; need > len(l.out) {
		grown := make([]T, need)
		copy(grown, l.out[:l.k])
		l.out = grown
	}
	var levels int64
	var got int
	var err error
	if l.conv == nil {
		levels, got, err = l.rd.ReadBatch(int64(n), any(l.out[l.k:]).([]P), def, rep)
	} else {
		if n > len(l.src) {
			l.src = make([]P, n)
		}
		if levels, got, err = l.rd.ReadBatch(int64(n), l.src, def, rep); err == nil {
			l.conv(l.out[l.k:l.k+got], l.src[:got])
		}
	}
	if err == nil {
		err = l.rd.Err()
	}
	l.k += got
	return int(levels), err
}

func (l *fixedLeaf[P, T]) array(n int, valid vector.Bitmap) (arrow.Array, error) {
	out := l.out
	if n > len(out) {
		out = make([]T, n)
		copy(out, l.out[:l.k])
	}
	out = out[:n]
	if valid != nil {
		spread(out, l.k, valid)
	}
	l.out, l.k = nil, 0
	return vector.NewFixed(l.t, out, valid), nil
}

// spread moves the first k values to the valid slots, from the back, in place.
func spread[T any](out []T, k int, valid vector.Bitmap) {
	var zero T
	for i := len(out) - 1; i >= 0; i-- {
		if valid.Get(i) {
			k--
			out[i] = out[k]
		} else {
			out[i] = zero
		}
	}
}

// boolLeaf reads booleans.
type boolLeaf struct {
	rd  *file.BooleanColumnChunkReader
	out []bool
	k   int
}

func (l *boolLeaf) read(n int, def, rep []int16) (int, error) {
	if need := l.k + n; need > len(l.out) {
		l.out = append(l.out, make([]bool, need-len(l.out))...)
	}
	levels, got, err := l.rd.ReadBatch(int64(n), l.out[l.k:], def, rep)
	if err == nil {
		err = l.rd.Err()
	}
	l.k += got
	return int(levels), err
}

func (l *boolLeaf) array(n int, valid vector.Bitmap) (arrow.Array, error) {
	bits, k := vector.NewBitmap(n), 0
	for i := range n {
		if valid.Get(i) {
			if l.out[k] {
				bits.Set(i)
			}
			k++
		}
	}
	l.k = 0
	return vector.NewBool(bits, n, valid), nil
}

// bytesLeaf reads byte arrays of either physical type as strings or binaries.
type bytesLeaf[P ~[]byte] struct {
	t    *vector.Type
	rd   pager[P]
	src  []P
	off  []int32 // off[0] is 0; one more for each value
	data []byte
	last int // bytes of the batch before
}

func (l *bytesLeaf[P]) read(n int, def, rep []int16) (int, error) {
	n = min(n, batchRows)
	if n > len(l.src) {
		l.src = make([]P, n)
	}
	levels, got, err := l.rd.ReadBatchInPage(int64(n), l.src, def, rep)
	if err != nil {
		return 0, err
	}
	if l.off == nil {
		l.off = make([]int32, 1, n+1)
		l.data = make([]byte, 0, l.last+l.last/8)
	}
	off, data := l.off, l.data
	for _, v := range l.src[:got] {
		data = append(data, v...)
		off = append(off, int32(len(data)))
	}
	if len(data) > math.MaxInt32 {
		return 0, errTooLarge
	}
	l.off, l.data = off, data
	return int(levels), l.rd.Err()
}

func (l *bytesLeaf[P]) array(n int, valid vector.Bitmap) (arrow.Array, error) {
	off, data := l.off, l.data
	if off == nil {
		off = make([]int32, 1)
	}
	if valid != nil {
		spread := make([]int32, n+1)
		k := 0
		for i := range n {
			if valid.Get(i) {
				k++
			}
			spread[i+1] = off[k]
		}
		off = spread
	}
	l.last = len(data)
	l.off, l.data = nil, nil
	return vector.NewString(l.t, off, data, valid), nil
}

// decimalBytesLeaf reads decimals that are stored as big-endian byte arrays.
type decimalBytesLeaf[P ~[]byte] struct {
	t     *vector.Type
	rd    pager[P]
	scale decimalScale
	src   []P
	out   [][2]uint64
}

func (l *decimalBytesLeaf[P]) read(n int, def, rep []int16) (int, error) {
	n = min(n, batchRows)
	if n > len(l.src) {
		l.src = make([]P, n)
	}
	levels, got, err := l.rd.ReadBatchInPage(int64(n), l.src, def, rep)
	if err != nil {
		return 0, err
	}
	for _, v := range l.src[:got] {
		d, ok := decimalOf(v)
		if !ok {
			return 0, errors.New("decimal value of more than 16 bytes")
		}
		l.out = append(l.out, l.scale.up(d))
	}
	return int(levels), l.rd.Err()
}

func (l *decimalBytesLeaf[P]) array(n int, valid vector.Bitmap) (arrow.Array, error) {
	k := len(l.out)
	out := l.out
	if n > k {
		out = append(out, make([][2]uint64, n-k)...)
	}
	if valid != nil {
		spread(out, k, valid)
	}
	l.out = nil
	return vector.NewFixed(l.t, out, valid), nil
}

var (
	_ pager[parquet.ByteArray]         = (*file.ByteArrayColumnChunkReader)(nil)
	_ pager[parquet.FixedLenByteArray] = (*file.FixedLenByteArrayColumnChunkReader)(nil)
	_ batcher[int64]                   = (*file.Int64ColumnChunkReader)(nil)
)
