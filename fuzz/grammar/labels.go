package grammar

// scripts are the characters of labels that make sense together, with those that only stand in some places.
var scripts = [][]rune{
	[]rune("abcxyz0189-éüßñøåæœčşıŋþðəl·l"),
	[]rune("αβγσςωάέϊ0͵αβ͵γ"),
	[]rune("абвжщыюяёї9-"),
	[]rune("中文字國〇一丁０々〻aｱ・"),
	[]rune("ひらがカタカナー・ゝヾ中"),
	[]rune("한글실례테스트a1"),
	[]rune("कखषमन\u094d\u200d\u094d\u200cि\u0902०९"),
	[]rune("بيسمهكئادروزة٠١٩\u064b\u200c"),
	[]rune("بيسادر۰۱۹گچ\u200c-"),
	[]rune("אבגדשת׳״\u05b0\u05bc09-"),
	[]rune("ไทยกขค่้๐๙"),
	[]rune("𠮷𐌰𐌱𐐨𐐩"),
	[]rune("q\u0323\u0307\u0301e\u0334x"),
	[]rune("ßς۽۾་〇"),
	[]rune("ܐܒߊߋ\u07eb"),
	[]rune("ᠠᠡ\u200cசிங்\u200dகை"),
}

// makeULabel makes a U-label from the characters of one script.
func makeULabel(pick func(n int) int) []rune {
	for {
		of := scripts[pick(len(scripts))]
		var label []rune
		for range 1 + pick(8) {
			// Two neighbours in the list often want to stay together: l·l, a virama and what may follow it.
			at := pick(len(of))
			label = append(label, of[at])
			for pick(3) > 0 && at+1 < len(of) {
				at++
				label = append(label, of[at])
			}
		}
		if pick(40) == 0 { // as long as may be, or one more
			for pick(2) > 0 || len(punycode(label)) < 59 {
				label = append(label, of[pick(len(of))])
			}
		}
		if isULabel(label, formC) {
			return label
		}
	}
}

// makeALabel makes an A-label, in either case.
func makeALabel(pick func(n int) int) []rune {
	code := []rune("xn--" + punycode(makeULabel(pick)))
	for i, r := range code {
		if 'a' <= r && r <= 'z' && pick(4) == 0 {
			code[i] = r - 'a' + 'A'
		}
	}
	return code
}
