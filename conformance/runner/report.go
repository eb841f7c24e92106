package runner

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/vstream/vstream/format/table"
)

// Counts are the totals of a run. Known failures count as skipped.
type Counts struct{ Passed, Failed, Skipped int }

// Count counts results.
func Count(results []Result) Counts {
	var c Counts
	for _, r := range results {
		switch {
		case r.Status == Passed:
			c.Passed++
		case r.Status == Skipped || r.Known != "":
			c.Skipped++
		default:
			c.Failed++
		}
	}
	return c
}

// String is "N passed, N failed, N skipped".
func (c Counts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.Passed, c.Failed, c.Skipped)
}

// Areas is a table of the counts per area.
func Areas(results []Result) string {
	byArea := map[string][]Result{}
	for _, r := range results {
		area, _, _ := strings.Cut(r.Name, "/")
		byArea[area] = append(byArea[area], r)
	}
	var names []string
	for a := range byArea {
		names = append(names, a)
	}
	sort.Strings(names)
	var rows [][]string
	row := func(name string, c Counts) {
		rows = append(rows, []string{name, strconv.Itoa(c.Passed), strconv.Itoa(c.Failed), strconv.Itoa(c.Skipped)})
	}
	for _, a := range names {
		row(a, Count(byArea[a]))
	}
	row("all", Count(results))
	return table.Text([]string{"area", "passed", "failed", "skipped"}, rows)
}
