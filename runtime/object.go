package runtime

import (
	"strconv"

	"vcp.core/contract/wire"
)

// object builds one JSON object. The zero value is an object without members.
type object struct{ buf []byte }

// separate appends what stands before a member.
func (o *object) separate() {
	if len(o.buf) == 0 {
		o.buf = append(o.buf, '{')
	} else {
		o.buf = append(o.buf, ',')
	}
}

func (o *object) name(name string) {
	o.separate()
	o.buf = wire.AppendQuoted(o.buf, name)
	o.buf = append(o.buf, ':')
}

func (o *object) text(name, value string) {
	o.name(name)
	o.buf = wire.AppendQuoted(o.buf, value)
}

// textIf leaves an empty value out.
func (o *object) textIf(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

func (o *object) int(name string, value int64) {
	o.name(name)
	o.buf = strconv.AppendInt(o.buf, value, 10)
}

func (o *object) raw(name string, value []byte) {
	o.name(name)
	o.buf = append(o.buf, value...)
}

func (o *object) texts(name string, values []string) {
	o.name(name)
	o.buf = append(o.buf, '[')
	for i, v := range values {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = wire.AppendQuoted(o.buf, v)
	}
	o.buf = append(o.buf, ']')
}

// empty reports whether nothing was added.
func (o *object) empty() bool { return len(o.buf) == 0 }

// bytes returns the object; nothing may be added afterwards.
func (o *object) bytes() []byte {
	if o.empty() {
		return []byte("{}")
	}
	return append(o.buf, '}')
}
