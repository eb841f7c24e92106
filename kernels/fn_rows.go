package kernels

import (
	"slices"

	"github.com/vstream/vstream/vector"
)

// texts reads a string or binary argument row by row, constant or not.
type texts struct {
	off  []int32
	data []byte
	mask int
}

func textsOf(v vector.Vec) texts {
	off, data := vector.Strings(v.Arr)
	return texts{off, data, v.Mask()}
}

// at is the bytes of row i; it must not be changed.
func (t texts) at(i int) []byte {
	i &= t.mask
	return t.data[t.off[i]:t.off[i+1]]
}

// fixed reads an argument of a fixed-width type row by row, constant or not.
type fixed[T any] struct {
	v    []T
	mask int
}

func fixedOf[T any](v vector.Vec) fixed[T] { return fixed[T]{vector.Values[T](v.Arr), v.Mask()} }

func (f fixed[T]) at(i int) T { return f.v[i&f.mask] }

// sample is how many rows tell how much room all of them need.
const sample = 64

// roomFor makes room in mem for the texts of n rows once the first sample of them is there.
func roomFor(mem *vector.Buffers, data []byte, i, n int) []byte {
	if i != sample {
		return data
	}
	more := (len(data)/sample + 1) * (n - sample) * 9 / 8
	if mem == nil {
		return slices.Grow(data, more)
	}
	return append(vector.Make[byte](mem, len(data)+more)[:0], data...)
}

// stringRows makes a string or binary column: f appends the text of each row that
// is valid and returns the extended slice.
func stringRows(t *vector.Type, n int, valid vector.Bitmap, f func(dst []byte, i int) []byte) vector.Vec {
	return stringRowsIn(nil, t, n, valid, f)
}

// stringRowsIn is stringRows with the column in mem (see vector.Make).
func stringRowsIn(mem *vector.Buffers, t *vector.Type, n int, valid vector.Bitmap, f func(dst []byte, i int) []byte) vector.Vec {
	off := vector.Make[int32](mem, n+1)
	off[0] = 0
	var data []byte
	for i := range n {
		data = roomFor(mem, data, i, n)
		if valid.Get(i) {
			data = f(data, i)
		}
		off[i+1] = int32(len(data))
	}
	return vector.Vec{Arr: vector.NewString(t, off, data, valid)}
}

// stringRowsOr is stringRows for a function that may give null (false) or fail;
// args are the arguments whose nulls make the result null.
func stringRowsOr(t *vector.Type, n int, args []vector.Vec, f func(dst []byte, i int) ([]byte, bool, error)) (vector.Vec, error) {
	return stringRowsOrIn(nil, t, n, args, f)
}

// stringRowsOrIn is stringRowsOr with the column in mem (see vector.Make).
func stringRowsOrIn(mem *vector.Buffers, t *vector.Type, n int, args []vector.Vec, f func(dst []byte, i int) ([]byte, bool, error)) (vector.Vec, error) {
	valid := OwnValidity(n, args...)
	off := vector.Make[int32](mem, n+1)
	off[0] = 0
	var data []byte
	for i := range n {
		data = roomFor(mem, data, i, n)
		if valid.Get(i) {
			d, ok, err := f(data, i)
			if err != nil {
				return vector.Vec{}, err
			}
			if ok {
				data = d
			} else {
				valid.Clear(i)
			}
		}
		off[i+1] = int32(len(data))
	}
	return vector.Vec{Arr: vector.NewString(t, off, data, valid)}, nil
}

// fixedRows makes a column of a fixed-width type from the rows that are valid.
func fixedRows[T any](t *vector.Type, n int, valid vector.Bitmap, f func(i int) T) vector.Vec {
	out := make([]T, n)
	if valid == nil {
		for i := range out {
			out[i] = f(i)
		}
		return vector.Vec{Arr: vector.NewFixed(t, out, nil)}
	}
	for i := range out {
		if valid.Get(i) {
			out[i] = f(i)
		}
	}
	return vector.Vec{Arr: vector.NewFixed(t, out, valid)}
}

// fixedRowsOr is fixedRows for a function that may give null (false) or fail.
func fixedRowsOr[T any](t *vector.Type, n int, args []vector.Vec, f func(i int) (T, bool, error)) (vector.Vec, error) {
	valid := OwnValidity(n, args...)
	out := make([]T, n)
	for i := range out {
		if !valid.Get(i) {
			continue
		}
		v, ok, err := f(i)
		if err != nil {
			return vector.Vec{}, err
		}
		if ok {
			out[i] = v
		} else {
			valid.Clear(i)
		}
	}
	return vector.Vec{Arr: vector.NewFixed(t, out, valid)}, nil
}

// boolRows makes a boolean column from the rows that are valid.
func boolRows(n int, valid vector.Bitmap, f func(i int) bool) vector.Vec {
	bits := vector.NewBitmap(n)
	for i := range n {
		if valid.Get(i) && f(i) {
			bits.Set(i)
		}
	}
	return vector.Vec{Arr: vector.NewBool(bits, n, valid)}
}

// appendText appends a text; a short one as a block of 32 bytes, of which what is too
// much is overwritten by the next.
func appendText(dst, s []byte) []byte {
	if n := len(dst); len(s) <= 32 && cap(s) >= 32 && cap(dst)-n >= 32 {
		*(*[32]byte)(dst[n : n+32]) = *(*[32]byte)(s[:32])
		return dst[:n+len(s)]
	}
	return append(dst, s...)
}

// stringsOf1 is the kernel of a function of one text that gives a text.
func stringsOf1(t *vector.Type, f func(dst, s []byte) []byte) Eval {
	return func(ctx *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s := textsOf(args[0])
		return stringRowsIn(ctx.Temp, t, n, Validity(n, args...), func(dst []byte, i int) []byte { return f(dst, s.at(i)) }), nil
	}
}

// intsOf1 is the kernel of a function of one text that gives an INT.
func intsOf1(f func(s []byte) int32) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s := textsOf(args[0])
		return fixedRows(vector.Int, n, Validity(n, args...), func(i int) int32 { return f(s.at(i)) }), nil
	}
}

// boolsOf1 is the kernel of a function of one text that gives a BOOLEAN.
func boolsOf1(f func(s []byte) bool) Eval {
	return func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s := textsOf(args[0])
		return boolRows(n, Validity(n, args...), func(i int) bool { return f(s.at(i)) }), nil
	}
}
