package agg

import (
	_ "embed" // the tables
	"sync"

	"github.com/vstream/vstream/internal/text"
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
	text.NumberRows(hllText, func(name string, row []float64) {
		switch name {
		case "thresholds":
			t.thresholds = row
		case "estimates":
			t.estimates = append(t.estimates, row)
		case "biases":
			t.biases = append(t.biases, row)
		}
	})
	return t
})
