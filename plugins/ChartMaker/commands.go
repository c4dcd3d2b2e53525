package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	contract "vcp.core/generated/plugins/chartmaker"
)

// Maker implements the commands. It keeps nothing between calls.
type Maker struct{}

var _ contract.Handler = Maker{}

// resource is the picture's name in a payload.
const resource = "chart"

// DrawLine draws a line for each series.
func (Maker) DrawLine(ctx context.Context, at *contract.Invocation, in contract.DrawLineInput) (call.Answer[contract.DrawLineOutput], error) {
	var none call.Answer[contract.DrawLineOutput]
	columns := make([]column, len(in.Series))
	count := len(in.Series[0].Values)
	given, hasX := in.X.Get()
	partner := "values in the first series"
	if hasX {
		count, partner = len(given), "horizontal positions"
	}
	for i, s := range in.Series {
		where := fmt.Sprintf("/series/%d/values", i)
		if err := sameLength(s.Name, where, len(s.Values), count, partner); err != nil {
			return none, err
		}
		var err error
		if columns[i], err = columnOf(s.Name, where, s.Values); err != nil {
			return none, err
		}
	}
	x := make([]float64, count)
	for i := range x {
		x[i] = float64(i + 1)
		if hasX {
			var err error
			if x[i], err = number(given[i], fmt.Sprintf("/x/%d", i)); err != nil {
				return none, err
			}
		}
	}
	c := chart{title: in.Title.Or(""), xLabel: in.XLabel.Or(""), yLabel: in.YLabel.Or(""), width: in.Width.Or(1000), height: in.Height.Or(600)}
	drawn, err := c.deliver(ctx, at, in.FileName.Or("chart.png"), columns, nil, func() error { return c.lines(x, columns) })
	if err != nil {
		return none, err
	}
	return answer(drawn, contract.DrawLineOutput{Chart: drawn.ref, Series: told(columns)}), nil
}

// DrawBar draws a group of bars for each label.
func (Maker) DrawBar(ctx context.Context, at *contract.Invocation, in contract.DrawBarInput) (call.Answer[contract.DrawBarOutput], error) {
	var none call.Answer[contract.DrawBarOutput]
	columns := make([]column, len(in.Series))
	for i, s := range in.Series {
		where := fmt.Sprintf("/series/%d/values", i)
		if err := sameLength(s.Name, where, len(s.Values), len(in.Labels), "labels"); err != nil {
			return none, err
		}
		var err error
		if columns[i], err = columnOf(s.Name, where, s.Values); err != nil {
			return none, err
		}
	}
	c := chart{title: in.Title.Or(""), xLabel: in.XLabel.Or(""), yLabel: in.YLabel.Or(""), width: in.Width.Or(1000), height: in.Height.Or(600)}
	drawn, err := c.deliver(ctx, at, in.FileName.Or("chart.png"), columns, in.Labels, func() error {
		c.bars(columns, in.Stacked.Or(false))
		c.groups(in.Labels)
		return nil
	})
	if err != nil {
		return none, err
	}
	return answer(drawn, contract.DrawBarOutput{Chart: drawn.ref, Series: told(columns)}), nil
}

// DrawScatter draws a cloud of points for each series.
func (Maker) DrawScatter(ctx context.Context, at *contract.Invocation, in contract.DrawScatterInput) (call.Answer[contract.DrawScatterOutput], error) {
	var none call.Answer[contract.DrawScatterOutput]
	xs, ys := make([]column, len(in.Series)), make([]column, len(in.Series))
	for i, s := range in.Series {
		where := fmt.Sprintf("/series/%d/y", i)
		if err := sameLength(s.Name, where, len(s.Y), len(s.X), "horizontal positions"); err != nil {
			return none, err
		}
		var err error
		if xs[i], err = numbersOf(s.Name, fmt.Sprintf("/series/%d/x", i), s.X); err != nil {
			return none, err
		}
		if ys[i], err = numbersOf(s.Name, where, s.Y); err != nil {
			return none, err
		}
	}
	c := chart{title: in.Title.Or(""), xLabel: in.XLabel.Or(""), yLabel: in.YLabel.Or(""), width: in.Width.Or(1000), height: in.Height.Or(600)}
	drawn, err := c.deliver(ctx, at, in.FileName.Or("chart.png"), ys, nil, func() error { return c.clouds(xs, ys) })
	if err != nil {
		return none, err
	}
	return answer(drawn, contract.DrawScatterOutput{Chart: drawn.ref, Series: told(ys)}), nil
}

// delivered is a picture that the core can publish.
type delivered struct {
	ref      wire.Ref
	draft    wire.Raw
	warnings []call.Warning
}

// errNowhere says that the runtime gives the plugin no place for pictures.
var errNowhere = errors.New("there is nowhere to put the picture")

// deliver draws and hands the picture over.
func (c *chart) deliver(ctx context.Context, at *contract.Invocation, fileName string, columns []column, labels []string, add func() error) (delivered, error) {
	if at.Resources == nil {
		return delivered{}, errNowhere
	}
	texts := append([]string{c.title, c.xLabel, c.yLabel}, labels...)
	if len(columns) > 1 { // a single series has no legend
		for _, col := range columns {
			texts = append(texts, col.told.Name)
		}
	}
	var err error
	if c.letters, err = letteringFor(at.Config.FontFile.Or(""), texts); err != nil {
		return delivered{}, err
	}
	c.begin()
	if err := add(); err != nil {
		return delivered{}, err
	}
	c.scale(labels != nil)
	if err := ctx.Err(); err != nil {
		return delivered{}, err
	}
	picture, err := c.png()
	if err != nil {
		return delivered{}, err
	}
	draft, err := at.Resources.Write(call.Draft{ID: resource, Kind: "image", Role: "output", MIMEType: "image/png", FileName: fileName}, bytes.NewReader(picture))
	if err != nil {
		return delivered{}, err
	}
	return delivered{ref: wire.Ref{ID: resource}, draft: draft, warnings: c.letters.warnings(texts...)}, nil
}

func told(columns []column) []contract.Series {
	list := make([]contract.Series, len(columns))
	for i := range columns {
		list[i] = columns[i].told
	}
	return list
}

// answer is a success with the picture in it.
func answer[T call.Encoder](d delivered, data T) call.Answer[T] {
	return call.Answer[T]{
		Data: data, Resources: []wire.Raw{d.draft}, Warnings: d.warnings,
		Presentation: call.Presentation{PrimaryResource: resource},
		Advice:       &call.Advice{Intent: "relay", Message: "Show the picture to the user. Say in one sentence what it shows.", RenderHint: "image", Resources: []string{resource}},
	}
}
