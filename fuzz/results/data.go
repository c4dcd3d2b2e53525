package results

import (
	"fmt"
	"strings"
)

// Data returns the JSON of some data: mostly an object or an array, of one of many shapes.
func (m *Maker) Data() string {
	switch m.rng.IntN(14) {
	case 0:
		return m.scalar()
	case 1:
		return m.rows(pick(m, 1, 3, 40))
	case 2:
		return fmt.Sprintf(`{"rows":%s,"total":9007199254740993}`, m.rows(pick(m, 0, 2, 300)))
	case 3:
		return fmt.Sprintf(`{"text":%s}`, quote(strings.Repeat(m.text(), 1+m.rng.IntN(30))))
	case 4:
		return `[` + strings.TrimSuffix(strings.Repeat("12345678901234567890,", 1+m.rng.IntN(200)), ",") + `]`
	case 5:
		depth := 1 + m.rng.IntN(30)
		return strings.Repeat(`{"a":[`, depth) + m.scalar() + strings.Repeat(`]}`, depth)
	case 6:
		return fmt.Sprintf(`{"schedules":[{"id":"sch_1","time":"2026-07-12T10:00:00+08:00","content":%s}],"total":1}`, quote(m.String()))
	case 7:
		return fmt.Sprintf(`{"query":"q","results":[{"title":%s,"url":"https://example.org/","snippet":%s},{"title":"b"}]}`, quote(m.String()), quote(m.String()))
	case 8:
		return fmt.Sprintf(`{"command":"ls","exitCode":1,"stdout":%s,"stderr":%s}`, quote(m.String()), quote(m.String()))
	case 9:
		return fmt.Sprintf(`{"image":{"$resource":"res_01J2XQ3Z5K8N7P4R6T9V0W0001"},"length":{"value":3.50,"unit":"km"},"price":{"value":1e2,"unit":%s}}`, quote(m.String()))
	default:
		return m.object(3)
	}
}

func (m *Maker) rows(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"id":%d,"name":%s%s}`, i, quote(m.String()), pick(m, "", `,"note":null`, `,"x":1.50`, `,"deep":{"a":[1]}`)))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func (m *Maker) scalar() string {
	return pick(m, "null", "true", "false", "0", "-0.0", "1e400", "9007199254740993", "3.1400", quote(m.String()), quote(m.String()))
}

func (m *Maker) value(depth int) string {
	if depth <= 0 || m.rng.IntN(3) == 0 {
		return m.scalar()
	}
	if m.rng.IntN(3) > 0 {
		return m.object(depth)
	}
	var list []string
	for range m.rng.IntN(5) {
		list = append(list, m.value(depth-1))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func (m *Maker) object(depth int) string {
	var list []string
	seen := map[string]bool{}
	for range m.rng.IntN(6) {
		name := pick(m, "a", "name", "名称", "createdAt", m.String())
		if !seen[name] {
			seen[name] = true
			list = append(list, quote(name)+":"+m.value(depth-1))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}
