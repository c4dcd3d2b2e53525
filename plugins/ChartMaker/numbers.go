package main

import (
	"fmt"
	"math"

	"vcp.core/contract/call"
	"vcp.core/contract/wire"
	contract "vcp.core/generated/plugins/chartmaker"
)

// largest is the largest magnitude that is drawn: axes are computed in binary floating point, where sums and
// differences of larger numbers leave the range.
const largest = 1e100

// column is a series of values with gaps, and what is told of it afterwards.
type column struct {
	values []float64 // NaN is a gap
	told   contract.Series
}

// columnOf converts values. at is the JSON Pointer of their array.
func columnOf(name, at string, values []wire.Nullable[wire.Number]) (column, error) {
	c := column{values: make([]float64, len(values)), told: contract.Series{Name: name}}
	for i, v := range values {
		n, ok := v.Get()
		if !ok {
			c.values[i] = math.NaN()
			continue
		}
		f, err := number(n, fmt.Sprintf("%s/%d", at, i))
		if err != nil {
			return c, err
		}
		c.values[i] = f
		c.count(n)
	}
	if c.told.Points == 0 {
		return c, &call.Failure{Code: contract.CodeChartNoPoints, Message: fmt.Sprintf("the series %q has nothing but gaps", name), Target: at}
	}
	return c, nil
}

// numbersOf converts numbers without gaps. name and at are the series' and the pointer of the array.
func numbersOf(name, at string, numbers []wire.Number) (column, error) {
	c := column{values: make([]float64, len(numbers)), told: contract.Series{Name: name}}
	for i, n := range numbers {
		f, err := number(n, fmt.Sprintf("%s/%d", at, i))
		if err != nil {
			return c, err
		}
		c.values[i] = f
		c.count(n)
	}
	return c, nil
}

// count takes a value into what is told of the series. Values are compared as they were given, not as they are
// drawn.
func (c *column) count(n wire.Number) {
	if c.told.Points == 0 || n.Decimal().Cmp(c.told.Minimum.Decimal()) < 0 {
		c.told.Minimum = n
	}
	if c.told.Points == 0 || n.Decimal().Cmp(c.told.Maximum.Decimal()) > 0 {
		c.told.Maximum = n
	}
	c.told.Points++
}

func number(n wire.Number, at string) (float64, error) {
	f, ok := n.Float64()
	if !ok || math.IsInf(f, 0) || math.Abs(f) > largest {
		return 0, &call.Failure{Code: contract.CodeChartOutOfRange, Message: "numbers beyond 1e100 cannot be drawn", Target: at}
	}
	return f, nil
}

// sameLength refuses a series whose length is not that of its partner.
func sameLength(name, at string, got, want int, partner string) error {
	if got == want {
		return nil
	}
	return &call.Failure{
		Code:    contract.CodeChartLengthMismatch,
		Message: fmt.Sprintf("the series %q has %d values, and there are %d %s", name, got, want, partner),
		Target:  at,
		Details: wire.Raw(fmt.Sprintf(`{"got":%d,"want":%d}`, got, want)),
	}
}
