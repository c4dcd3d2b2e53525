package wire

// Decimal is an exact decimal number of any size, as JSON spells it. Comparison works on digit
// strings: no float, no precision lost, and no cost that grows with the exponent's value.
type Decimal struct {
	text string
	// parsed form: sign, digits without leading and trailing zeros, exponent; filled by ParseDecimal
}
