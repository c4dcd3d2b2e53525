package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"vcp.core/contract/wire"
)

// dpi makes one pixel three quarters of a point, as browsers have it.
const dpi = 96

// palette is told apart by people who see red and green alike: its colours differ in lightness too.
var palette = []color.Color{
	rgb(0x1f, 0x77, 0xb4), rgb(0xe6, 0x7e, 0x22), rgb(0x2c, 0x8c, 0x4a), rgb(0xc0, 0x39, 0x2b), rgb(0x7d, 0x5b, 0xa6),
	rgb(0x6d, 0x4c, 0x41), rgb(0xd8, 0x63, 0xa5), rgb(0x55, 0x60, 0x6a), rgb(0xa8, 0xa2, 0x2a), rgb(0x17, 0xa2, 0xb8),
}

func rgb(r, g, b uint8) color.Color { return color.NRGBA{R: r, G: g, B: b, A: 0xff} }

// chart is what all charts have in common.
type chart struct {
	title, xLabel, yLabel string
	width, height         int64 // pixels
	letters               lettering
	plot                  *plot.Plot
	legend                []entry
}

// entry is a row of the legend.
type entry struct {
	name string
	mark plot.Thumbnailer
}

// begin makes an empty plot with our look.
func (c *chart) begin() {
	p := plot.New()
	c.plot = p
	c.letters.apply(p)
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.title, c.xLabel, c.yLabel
	p.Title.Padding = 10
	p.X.Padding, p.Y.Padding = 0, 0
	grey := rgb(0x44, 0x4c, 0x55)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color, a.Tick.Label.Color, a.Label.TextStyle.Color = grey, grey, grey, grey
		a.Label.Padding = 6
		a.Width, a.Tick.Width = 0.75, 0.75
	}
	grid := plotter.NewGrid()
	for _, l := range []*draw.LineStyle{&grid.Horizontal, &grid.Vertical} {
		l.Color, l.Width = rgb(0xdf, 0xe3, 0xe8), 0.75
	}
	p.Add(grid)
}

// nothing is the size of a legend without rows.
var nothing = vg.Rectangle{}

// scale gives both axes round numbers; an axis with names keeps them.
func (c *chart) scale(names bool) {
	p := c.plot
	if !names {
		stepsOf(p.X.Min, p.X.Max, int(max(c.width/130, 2))).apply(&p.X)
	}
	stepsOf(p.Y.Min, p.Y.Max, int(max(c.height/80, 2))).apply(&p.Y)
}

// png draws the plot, with the legend on the right where it hides nothing, and encodes it.
func (c *chart) png() ([]byte, error) {
	img := vgimg.NewWith(vgimg.UseWH(px(c.width), px(c.height)), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
	canvas := draw.Crop(draw.New(img), 12, -12, 10, -10)
	area := canvas
	if len(c.legend) > 1 {
		l := c.plot.Legend
		l.Top, l.Padding, l.ThumbnailWidth = true, 3, 18
		longest := c.longestName()
		for _, e := range c.legend {
			l.Add(wire.Shorten(e.name, longest), e.mark)
		}
		if size := l.Rectangle(canvas); size != nothing {
			side := min(size.Size().X, canvas.Size().X/2)
			area = draw.Crop(canvas, 0, -side-14, 0, 0)
			top := c.plot.Title.TextStyle.Font.Size + c.plot.Title.Padding
			l.Draw(draw.Crop(canvas, canvas.Size().X-side, 0, 0, -top))
		}
	}
	c.plot.Draw(area)
	var out bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(&out); err != nil {
		return nil, fmt.Errorf("encode the picture: %w", err)
	}
	return out.Bytes(), nil
}

func px(n int64) vg.Length { return vg.Length(n) * vg.Inch / dpi }

// longestName is how many characters of a name the legend shows: a third of the width at seven pixels each.
func (c *chart) longestName() int { return max(int(c.width/3/7), 6) }

// lines adds a line through the points of each column, broken at gaps. Single points and short lines get dots.
func (c *chart) lines(x []float64, columns []column) error {
	for i, col := range columns {
		colour := palette[i%len(palette)]
		var mark *plotter.Line
		for _, run := range runs(x, col.values) {
			for piece := range pieces(thin(run, int(c.width))) {
				line, err := plotter.NewLine(piece)
				if err != nil {
					return err
				}
				line.Color, line.Width = colour, 1.6
				mark = line
				c.plot.Add(line)
			}
			if len(run) == 1 || len(col.values) <= 40 {
				if err := c.dots(run, colour, 2.2); err != nil {
					return err
				}
			}
		}
		c.legend = append(c.legend, entry{col.told.Name, mark})
	}
	return nil
}

// runs are the stretches of a column between gaps.
func runs(x, y []float64) []plotter.XYs {
	var list []plotter.XYs
	var run plotter.XYs
	for i := range y {
		if math.IsNaN(y[i]) {
			if len(run) > 0 {
				list, run = append(list, run), nil
			}
			continue
		}
		run = append(run, plotter.XY{X: x[i], Y: y[i]})
	}
	if len(run) > 0 {
		list = append(list, run)
	}
	return list
}

func (c *chart) dots(points plotter.XYs, colour color.Color, radius vg.Length) error {
	s, err := c.cloud(points, colour, radius)
	if err == nil {
		c.plot.Add(s)
	}
	return err
}

func (c *chart) cloud(points plotter.XYs, colour color.Color, radius vg.Length) (*plotter.Scatter, error) {
	s, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: radius, Shape: draw.CircleGlyph{}}
	return s, nil
}

// clouds adds the points of each pair of columns.
func (c *chart) clouds(xs, ys []column) error {
	for i := range xs {
		points := make(plotter.XYs, len(xs[i].values))
		for j := range points {
			points[j] = plotter.XY{X: xs[i].values[j], Y: ys[i].values[j]}
		}
		s, err := c.cloud(points, palette[i%len(palette)], 2.6)
		if err != nil {
			return err
		}
		c.plot.Add(s)
		c.legend = append(c.legend, entry{xs[i].told.Name, s})
	}
	return nil
}

// groups names the groups of bars below the axis, turned when there is no room for them side by side.
func (c *chart) groups(labels []string) {
	ticks := make([]plot.Tick, len(labels))
	longest := 0
	for i, l := range labels {
		short := wire.Shorten(l, 24)
		longest = max(longest, utf8.RuneCountInString(short))
		ticks[i] = plot.Tick{Value: float64(i), Label: short}
	}
	c.plot.X.Tick.Marker = plot.ConstantTicks(ticks)
	c.plot.X.Tick.Width = 0
	c.plot.X.Min, c.plot.X.Max = -0.5, float64(len(labels))-0.5
	if int64(longest*len(labels)*7) > c.width*3/4 {
		c.plot.X.Tick.Label.Rotation = math.Pi / 4
		c.plot.X.Tick.Label.XAlign, c.plot.X.Tick.Label.YAlign = text.XRight, text.YTop
	}
}
