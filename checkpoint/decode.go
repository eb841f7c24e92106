package checkpoint

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vstream/vstream/condition"
)

// DecodeOffsets reads an offset log entry; file names it in errors. They are
// MALFORMED_LOG_FILE and INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION for the version
// line and VSTREAM_CORRUPT_FILE for the rest, where Spark has no condition.
func DecodeOffsets(file string, data []byte) (OffsetEntry, error) {
	version, lines, err := splitVersion(file, data, maxOffsetVersion)
	if err != nil {
		return OffsetEntry{}, err
	}
	if len(lines) == 0 {
		return OffsetEntry{}, corrupt(file, "the metadata line is missing")
	}
	var m offsetMetadata
	// Spark before 2.1 left the metadata line empty.
	if strings.TrimSpace(lines[0]) != "" {
		if err := decodeObject(file, lines[0], &m); err != nil {
			return OffsetEntry{}, err
		}
	}
	e := OffsetEntry{Version: version, WatermarkMs: m.WatermarkMs, TimestampMs: m.TimestampMs, Conf: m.Conf}
	if version == 2 {
		e.Sources = make(map[string]json.RawMessage, len(lines)-1)
	}
	for i, line := range lines[1:] {
		var name string
		if version == 2 {
			var ok bool
			if name, line, ok = strings.Cut(line, ":"); !ok || name == "" {
				return OffsetEntry{}, corrupt(file, fmt.Sprintf("line %d has no source name", i+3))
			}
			if _, twice := e.Sources[name]; twice {
				return OffsetEntry{}, corrupt(file, fmt.Sprintf("line %d repeats source %s", i+3, name))
			}
		}
		var o json.RawMessage
		if line != void {
			if o = json.RawMessage(line); !json.Valid(o) {
				return OffsetEntry{}, corrupt(file, fmt.Sprintf("line %d is not a JSON offset", i+3))
			}
		}
		if version == 2 {
			e.Sources[name] = o
		} else {
			e.Ordered = append(e.Ordered, o)
		}
	}
	return e, nil
}

// DecodeCommit reads a commit log entry; errors as in DecodeOffsets.
func DecodeCommit(file string, data []byte) (CommitEntry, error) {
	version, lines, err := splitVersion(file, data, maxCommitVersion)
	if err != nil {
		return CommitEntry{}, err
	}
	e := CommitEntry{Version: version}
	if len(lines) == 0 {
		return e, nil // Spark reads a missing metadata line as {}
	}
	if len(lines) > 1 {
		return CommitEntry{}, corrupt(file, "there is more after the metadata line")
	}
	var m commitMetadata
	if err := decodeObject(file, lines[0], &m); err != nil {
		return CommitEntry{}, err
	}
	e.NextWatermarkMs = m.NextWatermarkMs
	if version >= 2 {
		e.StateIDs = m.StateIDs
	}
	if version >= 3 {
		e.Sinks = m.Sinks
	}
	return e, nil
}

// splitVersion checks the version line and gives the lines after it.
func splitVersion(file string, data []byte, maxVersion int) (int, []string, error) {
	if len(data) == 0 {
		return 0, nil, corrupt(file, "it is empty")
	}
	if !utf8.Valid(data) {
		return 0, nil, corrupt(file, "it is not UTF-8 text")
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	first := strings.TrimSpace(lines[0])
	digits, ok := strings.CutPrefix(first, "v")
	version, err := strconv.Atoi(digits)
	if !ok || err != nil || version <= 0 {
		return 0, nil, condition.In(condition.New("MALFORMED_LOG_FILE", "text", first).
			WithHint("restore the file from a copy, or start with a new checkpoint"), "file "+file)
	}
	if version > maxVersion {
		return 0, nil, condition.In(condition.New("INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION",
			"maxSupportedVersion", maxVersion, "version", version), "file "+file)
	}
	return version, lines[1:], nil
}

func decodeObject(file, line string, v any) error {
	if !strings.HasPrefix(strings.TrimSpace(line), "{") {
		return corrupt(file, "line 2 is not a JSON object")
	}
	if err := json.Unmarshal([]byte(line), v); err != nil {
		return corrupt(file, fmt.Sprintf("line 2: %v", err))
	}
	return nil
}

func corrupt(file, detail string) error {
	return condition.New("VSTREAM_CORRUPT_FILE", "file", file, "detail", detail).
		WithHint("restore the file from a copy, or start with a new checkpoint")
}
