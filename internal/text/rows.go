package text

import (
	"strconv"
	"strings"
)

// NumberRows calls fn for each line of an embedded table: a name, then numbers. A word that
// is no number is a bug and panics.
func NumberRows(table string, fn func(name string, row []float64)) {
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		words := strings.Fields(line)
		row := make([]float64, len(words)-1)
		for i, w := range words[1:] {
			v, err := strconv.ParseFloat(w, 64)
			if err != nil {
				panic("table row " + words[0] + ": " + err.Error())
			}
			row[i] = v
		}
		fn(words[0], row)
	}
}
