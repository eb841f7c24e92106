// Package table prints rows as the text tables of Spark's Dataset.show().
package table

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vstream/vstream/format/render"
	"github.com/vstream/vstream/vector"
)

// Options say how much of a table is shown.
type Options struct {
	Rows     int // at most so many rows; fewer than 0: all
	Truncate int // cells longer than this are cut, and columns aligned right; 0: neither
	Zone     *time.Location
}

// Default shows 20 rows and cells of 20 characters.
var Default = Options{Rows: 20, Truncate: 20}

// Show prints the rows of the batches, which have the schema s. A last line says
// if there are more rows than were shown; it ends without a newline, as in Spark.
func Show(s *vector.Schema, batches []*vector.Batch, o Options) string {
	style := render.Style{Zone: o.Zone, Null: "NULL", HexBinary: true}
	header := make([]string, s.Len())
	for j, f := range s.Fields {
		header[j] = o.cell(f.Name)
	}
	var rows [][]string
	more := false
	for _, b := range batches {
		n := b.Len()
		if o.Rows >= 0 && n > o.Rows-len(rows) {
			n, more = o.Rows-len(rows), true
		}
		if n == 0 {
			continue
		}
		base := len(rows)
		for range n {
			rows = append(rows, make([]string, s.Len()))
		}
		b = b.Slice(0, n)
		for j, f := range s.Fields {
			print := style.Column(f.Type, b.Col(j))
			for i := range n {
				rows[base+i][j] = o.cell(string(print(nil, i)))
			}
		}
	}
	out := draw(header, rows, o.Truncate > 0)
	if more {
		unit := "rows"
		if o.Rows == 1 {
			unit = "row"
		}
		out += fmt.Sprintf("only showing top %d %s", o.Rows, unit)
	}
	return out
}

// Text prints a table of ready cells, which are not cut.
func Text(header []string, rows [][]string) string { return draw(header, rows, false) }

var escapes = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`, "\f", `\f`, "\b", `\b`, "\v", `\v`, "\a", `\a`)

// cell escapes control characters and cuts a text.
func (o Options) cell(s string) string {
	s = escapes.Replace(s)
	if o.Truncate <= 0 || utf8.RuneCountInString(s) <= o.Truncate {
		return s
	}
	r := []rune(s)
	if o.Truncate < 4 {
		return string(r[:o.Truncate])
	}
	return string(r[:o.Truncate-3]) + "..."
}

const minWidth = 3

func draw(header []string, rows [][]string, right bool) string {
	widths := make([]int, len(header))
	for j, h := range header {
		widths[j] = max(minWidth, width(h))
		for _, r := range rows {
			widths[j] = max(widths[j], width(r[j]))
		}
	}
	var b strings.Builder
	line := func() {
		for _, w := range widths {
			b.WriteByte('+')
			b.WriteString(strings.Repeat("-", w))
		}
		b.WriteString("+\n")
	}
	cells := func(r []string) {
		for j, w := range widths {
			b.WriteByte('|')
			pad := strings.Repeat(" ", w-width(r[j]))
			if right {
				b.WriteString(pad + r[j])
			} else {
				b.WriteString(r[j] + pad)
			}
		}
		b.WriteString("|\n")
	}
	line()
	cells(header)
	line()
	for _, r := range rows {
		cells(r)
	}
	line()
	return b.String()
}

// width is the number of columns that a text takes: East Asian wide characters take two.
func width(s string) int {
	n := 0
	for _, r := range s {
		n++
		if wide(r) {
			n++
		}
	}
	return n
}

// wide has the ranges that Spark counts as full width.
func wide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x115F, r >= 0x2E80 && r <= 0xA4CF, r >= 0xAC00 && r <= 0xD7A3, r >= 0xF900 && r <= 0xFAFF,
		r >= 0xFE10 && r <= 0xFE19, r >= 0xFE30 && r <= 0xFE6F, r >= 0xFF00 && r <= 0xFF60, r >= 0xFFE0 && r <= 0xFFE6:
		return true
	}
	return false
}
