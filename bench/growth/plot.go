package main

import (
	"bytes"
	"fmt"
	"math"
)

type point struct{ x, rate float64 }

// panel is one line of points.
type panel struct {
	title  string
	points []point
}

const (
	width, height = 320, 240 // of a panel's plane, in pixels
	left, top     = 60, 30
	right, bottom = 20, 50
)

// plot draws the panels beside each other as SVG: x in powers, events per second from zero.
func plot(panels []panel) []byte {
	most := 0.0
	for _, p := range panels {
		for _, q := range p.points {
			most = max(most, q.rate)
		}
	}
	most = roundUp(most)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n",
		len(panels)*(left+width+right), top+height+bottom)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for i, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d,%d)">`+"\n", i*(left+width+right)+left, top)
		p.draw(&b, most)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (p panel) draw(b *bytes.Buffer, most float64) {
	low, high := math.Log(p.points[0].x), math.Log(p.points[len(p.points)-1].x)
	x := func(v float64) float64 { return (math.Log(v) - low) / max(high-low, 1e-9) * width }
	y := func(rate float64) float64 { return height * (1 - rate/most) }
	const lines = 4
	for i := range lines + 1 {
		rate := most * float64(i) / lines
		fmt.Fprintf(b, `<line x1="0" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="-6" y="%.1f" text-anchor="end">%s</text>`+"\n",
			width, y(rate), y(rate), y(rate)+4, short(rate))
	}
	fmt.Fprintf(b, `<text x="0" y="-10">events/s</text><text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", width/2, height+36, p.title)
	b.WriteString(`<polyline fill="none" stroke="#1565c0" stroke-width="2" points="`)
	for _, q := range p.points {
		fmt.Fprintf(b, "%.1f,%.1f ", x(q.x), y(q.rate))
	}
	b.WriteString(`"/>` + "\n")
	for _, q := range p.points {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="#1565c0"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x(q.x), y(q.rate), x(q.x), height+18, short(q.x))
	}
}

// roundUp gives the next number of one or two digits and zeros, four of whose parts are round too.
func roundUp(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(max(v, 1))))
	for _, m := range []float64{1, 2, 4, 6, 8} {
		if m*unit >= v {
			return m * unit
		}
	}
	return 10 * unit
}

func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.3gM", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.3gk", v/1e3)
	}
	return fmt.Sprintf("%.3g", v)
}
