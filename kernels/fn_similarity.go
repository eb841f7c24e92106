package kernels

import (
	"unicode/utf16"

	"github.com/vstream/vstream/vector"
)

func init() {
	Register(Define(Scalar{
		Name: "jaro_winkler_similarity", Signature: "jaro_winkler_similarity(str1, str2)",
		Summary:  "How alike two texts are by Jaro and Winkler: from 0 to 1, for equal ones.",
		Examples: []Example{{"jaro_winkler_similarity('ABC', 'XYZ')", "0.0"}},
	}, Sig{Params: []Accept{String, String}, Result: vector.Double}, func(_ *Ctx, args []vector.Vec, n int) (vector.Vec, error) {
		s, t := textsOf(args[0]), textsOf(args[1])
		return fixedRows(vector.Double, n, Validity(n, args...), func(i int) float64 {
			return jaroWinkler(utf16Units(s.at(i)), utf16Units(t.at(i)))
		}), nil
	}))
}

// utf16Units are the characters of a text as Java counts them.
func utf16Units(s []byte) []uint16 { return utf16.Encode([]rune(string(s))) }

func jaroWinkler(a, b []uint16) float64 {
	j := jaro(a, b)
	prefix := 0
	for prefix < min(4, len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	return j + float64(prefix)*0.1*(1-j)
}

// jaro is the similarity by the characters that both texts have at about the
// same place, and those of them that are in another order.
func jaro(a, b []uint16) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	reach := max(max(len(a), len(b))/2-1, 0)
	inA, inB := make([]bool, len(a)), make([]bool, len(b))
	matches := 0
	for i, c := range a {
		for j := max(i-reach, 0); j < min(i+reach+1, len(b)); j++ {
			if !inB[j] && b[j] == c {
				inA[i], inB[j] = true, true
				matches++
				break
			}
		}
	}
	if matches == 0 {
		return 0
	}
	moved, j := 0, 0
	for i, c := range a {
		if !inA[i] {
			continue
		}
		for !inB[j] {
			j++
		}
		if b[j] != c {
			moved++
		}
		j++
	}
	m := float64(matches)
	return (m/float64(len(a)) + m/float64(len(b)) + (m-float64(moved)/2)/m) / 3
}
