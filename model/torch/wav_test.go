package torch_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// readWAV returns the samples of a WAV file of 16 kHz, mono and 16 bits, between -1 and 1.
func readWAV(path string) ([]float32, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return nil, errors.New("not a WAV file")
	}
	known := false
	for b = b[12:]; len(b) >= 8; { // chunks: a name, the length, the content, and a byte if that is odd
		name, length, content := string(b[:4]), int64(binary.LittleEndian.Uint32(b[4:])), b[8:]
		content = content[:min(length, int64(len(content)))]
		switch {
		case name == "fmt " && len(content) >= 16:
			le := binary.LittleEndian
			format, channels, rate, bits := le.Uint16(content), le.Uint16(content[2:]), le.Uint32(content[4:]), le.Uint16(content[14:])
			if format != 1 || channels != 1 || rate != sampleRate || bits != 16 {
				return nil, fmt.Errorf("format %d, %d channels, %d Hz, %d bits; want PCM (1), 1, %d, 16", format, channels, rate, bits, sampleRate)
			}
			known = true
		case name == "data" && known:
			samples := make([]float32, len(content)/2)
			for i := range samples {
				samples[i] = float32(int16(binary.LittleEndian.Uint16(content[2*i:]))) / (1 << 15)
			}
			return samples, nil
		}
		b = b[min(int64(len(b)), 8+length+length%2):]
	}
	return nil, errors.New("no samples in the WAV file")
}
