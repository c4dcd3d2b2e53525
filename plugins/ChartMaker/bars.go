package main

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// groupWidth is the share of a group's room that its bars take.
const groupWidth = 0.8

// bars are the bars of one series: rectangles in the plot's own units. The library's own bar chart stacks bars of
// unlike signs over each other.
type bars struct {
	rects  []rect
	colour color.Color
}

// rect is a bar from (x0, y0) to (x1, y1).
type rect struct{ x0, x1, y0, y1 float64 }

// bars adds the bars of all columns: side by side, or stacked, upwards what is positive and downwards what is
// negative.
func (c *chart) bars(columns []column, stacked bool) {
	groups := len(columns[0].values)
	up, down := make([]float64, groups), make([]float64, groups)
	for i, col := range columns {
		b := &bars{colour: palette[i%len(palette)]}
		for g, v := range col.values {
			if math.IsNaN(v) {
				continue
			}
			r := rect{x0: float64(g) - groupWidth/2, x1: float64(g) + groupWidth/2, y1: v}
			switch {
			case !stacked:
				width := groupWidth / float64(len(columns))
				r.x0 += float64(i) * width
				r.x1 = r.x0 + width
			case v >= 0:
				r.y0 = up[g]
				up[g] += v
				r.y1 = up[g]
			default:
				r.y0 = down[g]
				down[g] += v
				r.y1 = down[g]
			}
			b.rects = append(b.rects, r)
		}
		c.plot.Add(b)
		c.legend = append(c.legend, entry{col.told.Name, b})
	}
	zero := plotter.NewFunction(func(float64) float64 { return 0 })
	zero.Color, zero.Width, zero.Samples = rgb(0x44, 0x4c, 0x55), 0.75, 2
	c.plot.Add(zero)
}

// Plot implements plot.Plotter.
func (b *bars) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	for _, r := range b.rects {
		canvas.FillPolygon(b.colour, canvas.ClipPolygonXY([]vg.Point{
			{X: x(r.x0), Y: y(r.y0)}, {X: x(r.x1), Y: y(r.y0)}, {X: x(r.x1), Y: y(r.y1)}, {X: x(r.x0), Y: y(r.y1)},
		}))
	}
}

// DataRange implements plot.DataRanger; bars stand on zero.
func (b *bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = math.Inf(1), math.Inf(-1)
	for _, r := range b.rects {
		xmin, xmax = min(xmin, r.x0), max(xmax, r.x1)
		ymin, ymax = min(ymin, r.y0, r.y1), max(ymax, r.y0, r.y1)
	}
	return xmin, xmax, ymin, ymax
}

// Thumbnail implements plot.Thumbnailer.
func (b *bars) Thumbnail(canvas *draw.Canvas) {
	canvas.FillPolygon(b.colour, canvas.ClipPolygonXY([]vg.Point{
		{X: canvas.Min.X, Y: canvas.Min.Y}, {X: canvas.Max.X, Y: canvas.Min.Y},
		{X: canvas.Max.X, Y: canvas.Max.Y}, {X: canvas.Min.X, Y: canvas.Max.Y},
	}))
}
