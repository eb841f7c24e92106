package rate

import (
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
)

// decodeCreation reads "v1", a line end and milliseconds since 1970.
func decodeCreation(file string, data []byte) (int64, error) {
	version, text, _ := strings.Cut(string(data), "\n")
	if version != "v1" {
		if n, err := strconv.Atoi(strings.TrimPrefix(version, "v")); err == nil && strings.HasPrefix(version, "v") && n > 1 {
			return 0, condition.New("VSTREAM_NEWER_FORMAT", "file", file, "version", n, "supported", 1)
		}
		return 0, condition.New("VSTREAM_CORRUPT_FILE", "file", file, "detail", "the first line is not v1")
	}
	ms, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || ms < 0 {
		return 0, condition.New("VSTREAM_CORRUPT_FILE", "file", file, "detail", "the second line is not a time")
	}
	return ms, nil
}
