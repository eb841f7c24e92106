package vector

import "github.com/apache/arrow-go/v18/arrow"

// KeyWidth is the number of 64-bit words of a fixed-width or boolean key column.
func KeyWidth(t *Type) int { return keyWidth(t.Arrow()) }

// KeyWords sets out[i] to word half of row i of a fixed-width or boolean column, in the
// form in which keys are compared: one NaN, one zero, integers widened. A null's word is 0.
func KeyWords(a arrow.Array, half int, out []uint64) { keyWords(a, half, out) }
