package resource

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
)

// headered is how much of an image is looked at for its size: an image may carry a colour profile and a
// preview before it.
const headered = 1 << 20

// headers read the size of an image without decoding it, so a bomb costs what its header costs.
var headers = map[string]func(io.Reader) (image.Config, error){
	"image/png":              png.DecodeConfig,
	"image/vnd.mozilla.apng": png.DecodeConfig,
	"image/jpeg":             jpeg.DecodeConfig,
	"image/gif":              gif.DecodeConfig,
	"image/webp":             webp,
}

// dimensions returns the size of an image that begins with head; ok is false when the type has no reader here
// or the header is broken.
func dimensions(mediaType string, head []byte) (width, height int, ok bool) {
	read := headers[mediaType]
	if read == nil {
		return 0, 0, false
	}
	config, err := read(bytes.NewReader(head))
	return config.Width, config.Height, err == nil && config.Width > 0 && config.Height > 0
}

// webp reads the size from the first chunk of a WebP file: one of three, each with its own layout (RFC 9649
// §2.5 to §2.7). Both numbers are 14 bits wide, or 24 in the extended format.
func webp(r io.Reader) (image.Config, error) {
	var b [30]byte
	if n, err := io.ReadFull(r, b[:]); err != nil && n < 25 {
		return image.Config{}, err
	}
	if string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return image.Config{}, image.ErrFormat
	}
	switch string(b[12:16]) {
	case "VP8 ": // after a frame tag of 3 bytes and a start code of 3
		if b[23] != 0x9d || b[24] != 0x01 || b[25] != 0x2a {
			return image.Config{}, image.ErrFormat
		}
		return image.Config{Width: int(binary.LittleEndian.Uint16(b[26:]) & 0x3fff), Height: int(binary.LittleEndian.Uint16(b[28:]) & 0x3fff)}, nil
	case "VP8L": // after a signature byte; sizes are stored less one
		if b[20] != 0x2f {
			return image.Config{}, image.ErrFormat
		}
		bits := binary.LittleEndian.Uint32(b[21:])
		return image.Config{Width: int(bits&0x3fff) + 1, Height: int(bits>>14&0x3fff) + 1}, nil
	case "VP8X": // after 4 bytes of flags; sizes are stored less one
		return image.Config{Width: 1 + int(b[24]) + int(b[25])<<8 + int(b[26])<<16, Height: 1 + int(b[27]) + int(b[28])<<8 + int(b[29])<<16}, nil
	default:
		return image.Config{}, image.ErrFormat
	}
}
