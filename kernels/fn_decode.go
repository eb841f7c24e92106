package kernels

import (
	"github.com/vstream/vstream/vector"
)

// decodeFunction adds to decode(bin, charset) the form that chooses a result.
func decodeFunction(f Scalar) Scalar {
	two := f.Bind
	f.MaxArgs = -1
	f.Bind = func(conf *Conf, args []Arg) (*Impl, error) {
		if len(args) == 2 {
			return two(conf, args)
		}
		return bindDecode(conf, args)
	}
	return f
}

func bindDecode(conf *Conf, args []Arg) (*Impl, error) {
	keys, results := []*vector.Type{args[0].Type}, []*vector.Type(nil)
	isKey := make([]bool, len(args))
	isKey[0] = true
	for i := 1; i < len(args); i++ {
		if isKey[i] = i%2 == 1 && i+1 < len(args); isKey[i] {
			keys = append(keys, args[i].Type)
		} else {
			results = append(results, args[i].Type)
		}
	}
	key, result := CommonType(conf, keys), CommonType(conf, results)
	if key == nil || result == nil || !Orderable(key) {
		return nil, diffTypes("decode", callSQL("decode", sqlOf(args)), typeList(args))
	}
	impl := &Impl{Args: make([]*vector.Type, len(args)), Result: result, Nullable: true}
	for i := range args {
		if impl.Args[i] = result; isKey[i] {
			impl.Args[i] = key
		}
	}
	impl.Eval = func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		return chooseDecoded(key, result, args, isKey, n), nil
	}
	return impl, nil
}

// chooseDecoded takes from each row the result behind the first key equal to the
// first argument, or the default.
func chooseDecoded(key, result *vector.Type, args []vector.Vec, isKey []bool, n int) vector.Vec {
	var choices []vector.Vec
	var equal []func(i int) bool
	x := args[0]
	for k := 1; k < len(args); k++ {
		if !isKey[k] {
			choices = append(choices, args[k])
			continue
		}
		s, compare := args[k], Comparator(key, x.Arr, args[k].Arr)
		equal = append(equal, func(i int) bool {
			if xn, sn := x.IsNull(i), s.IsNull(i); xn || sn {
				return xn && sn
			}
			return compare(i&x.Mask(), i&s.Mask()) == 0
		})
	}
	if len(choices) == len(equal) {
		choices = append(choices, vector.ConstNull(result))
	}
	src, at := joined(choices)
	idx := make([]uint32, n)
	for i := range idx {
		k := 0
		for k < len(equal) && !equal[k](i) {
			k++
		}
		idx[i] = at(k, i)
	}
	return vector.Vec{Arr: vector.Take(src, idx)}
}
