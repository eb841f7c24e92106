package kernels

import (
	"encoding/binary"
	"math/bits"

	"github.com/vstream/vstream/vector"
)

// When all conditions and values of a CASE may be evaluated on all rows, its value is
// put together without lists of rows: constants through a table of them, columns of
// fixed width by copying values over those of another branch.

// maxChoices is how many values the bytes of a choice tell apart; 0 stands for null.
const maxChoices = 256

// constants tells whether the branches give constants under conditions that may
// be evaluated on all rows.
func (c *caseExpr) constants() bool {
	for _, br := range c.branches {
		if _, ok := unwrap(br.value).(*Const); !ok || br.cond != nil && !isSimple(br.cond) {
			return false
		}
	}
	return !c.coalesce && len(c.branches) < maxChoices
}

// choose evaluates such conditions on all rows and takes the constants.
func (c *caseExpr) choose(ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	n := b.Len()
	values := make([]vector.Vec, 1, len(c.branches)+1)
	values[0] = vector.ConstNull(c.typ)
	choice := make([]byte, (n+7)&^7)
	for k := len(c.branches) - 1; k >= 0; k-- { // an earlier branch overrides a later one
		br := c.branches[k]
		at := uint8(len(values))
		values = append(values, unwrap(br.value).(*Const).Value)
		if br.cond == nil {
			for i := range choice {
				choice[i] = at
			}
			continue
		}
		v, err := br.cond.Eval(ctx, b)
		if err != nil {
			return vector.Vec{}, err
		}
		override(choice, truths(v, n), at)
	}
	return vector.Vec{Arr: pick(ctx, c.typ, values, choice[:n])}, nil
}

// truths are the rows in which a condition is true.
func truths(cond vector.Vec, n int) vector.Bitmap {
	bits := boolsOf(cond, n)
	if valid := Validity(n, cond); valid != nil {
		return andBits(make(vector.Bitmap, len(bits)), bits, valid)
	}
	return bits
}

// spread[b] has a byte of ones for each bit of b.
var spread = func() (t [256]uint64) {
	for b := range t {
		for i := range 8 {
			if b>>i&1 != 0 {
				t[b] |= 0xff << (8 * i)
			}
		}
	}
	return t
}()

// override sets the choice of the rows that a bitmap has; the length of choice is a
// multiple of 8.
func override(choice []byte, rows vector.Bitmap, at uint8) {
	all := uint64(at) * 0x0101010101010101
	for g, b := range rows {
		c := choice[g*8 : g*8+8]
		mask := spread[b]
		binary.LittleEndian.PutUint64(c, binary.LittleEndian.Uint64(c)&^mask|all&mask)
	}
}

// simpleBranches tells whether the values are of fixed width and all branches may be
// evaluated on all rows.
func (c *caseExpr) simpleBranches() bool {
	for _, br := range c.branches {
		if br.cond != nil && !isSimple(br.cond) || !isSimple(br.value) {
			return false
		}
	}
	return c.typ.Width() > 0
}

// blend evaluates all branches on all rows and copies their values together.
func (c *caseExpr) blend(ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	switch c.typ.Width() {
	case 1:
		return blendBranches[uint8](c, ctx, b)
	case 2:
		return blendBranches[uint16](c, ctx, b)
	case 4:
		return blendBranches[uint32](c, ctx, b)
	case 8:
		return blendBranches[uint64](c, ctx, b)
	}
	return blendBranches[words](c, ctx, b)
}

func blendBranches[T any](c *caseExpr, ctx *Ctx, b *vector.Batch) (vector.Vec, error) {
	n := b.Len()
	out, valid := make([]T, 0), vector.Bitmap(nil)
	open := vector.NewValid(n) // the rows without a value
	for k, br := range c.branches {
		var take vector.Bitmap // of the open rows; nil: all of them
		if br.cond != nil {
			cond, err := br.cond.Eval(ctx, b)
			if err != nil {
				return vector.Vec{}, err
			}
			take = truths(cond, n)
		}
		v, err := br.value.Eval(ctx, b)
		if err != nil {
			return vector.Vec{}, err
		}
		own := Validity(n, v)
		if c.coalesce {
			take = own
		}
		if k == 0 {
			if take == nil {
				return v, nil
			}
			out = vector.Make[T](ctx.Temp, n)
			fill(out, v)
			valid = vector.NewBitmap(n)
		}
		rows := open
		if take != nil {
			rows = andBits(make(vector.Bitmap, len(open)), open, take)
		}
		if k > 0 {
			copyRows(out, v, rows)
		}
		if own == nil {
			zipBits(valid, valid, rows, func(x, y uint64) uint64 { return x | y })
		} else {
			for i := range valid {
				valid[i] |= rows[i] & own[i]
			}
		}
		if take == nil {
			break
		}
		zipBits(open, open, take, func(x, y uint64) uint64 { return x &^ y })
	}
	return vector.Vec{Arr: vector.NewFixed(c.typ, out, valid)}, nil
}

// fill copies the value of every row.
func fill[T any](out []T, v vector.Vec) {
	src := vector.Values[T](v.Arr)
	if !v.Const {
		copy(out, src)
		return
	}
	for i := range out {
		out[i] = src[0]
	}
}

// copyRows copies the values of the rows that a bitmap has.
func copyRows[T any](out []T, v vector.Vec, rows vector.Bitmap) {
	src, m := vector.Values[T](v.Arr), v.Mask()
	for from := 0; from < len(out); from += 64 {
		var w uint64
		if from/8+8 <= len(rows) {
			w = word(rows, from/8)
		} else {
			for i, b := range rows[from/8:] {
				w |= uint64(b) << (8 * i)
			}
		}
		for ; w != 0; w &= w - 1 {
			i := from + bits.TrailingZeros64(w)
			out[i] = src[i&m]
		}
	}
}
