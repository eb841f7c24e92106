package agg

import (
	_ "embed" // the tables
	"strconv"
	"strings"
	"sync"
)

// hllText holds the empirical tables of HyperLogLog++ (Heule, Nunkesser, Hall:
// "HyperLogLog in Practice", 2013, appendix), for precisions 4 to 18: a line
// "thresholds" with one number per precision, then per precision a line of raw
// estimates and one of their biases.
//
//go:embed hll_tables.txt
var hllText string

type hllTable struct {
	thresholds        []float64
	estimates, biases [][]float64
}

// hllTables parses the tables on first use.
var hllTables = sync.OnceValue(func() *hllTable {
	t := &hllTable{}
	for _, line := range strings.Split(strings.TrimSpace(hllText), "\n") {
		words := strings.Fields(line)
		row := make([]float64, len(words)-1)
		for i, w := range words[1:] {
			v, err := strconv.ParseFloat(w, 64)
			if err != nil {
				panic("agg: " + err.Error())
			}
			row[i] = v
		}
		switch words[0] {
		case "thresholds":
			t.thresholds = row
		case "estimates":
			t.estimates = append(t.estimates, row)
		case "biases":
			t.biases = append(t.biases, row)
		}
	}
	return t
})
