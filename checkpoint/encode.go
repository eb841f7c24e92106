package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// void stands in the offset log for a source without an offset.
const void = "-"

// Maximum versions, as in Spark 4.3.
const (
	maxOffsetVersion   = 2
	maxCommitVersion   = 3
	maxOperatorVersion = 1
)

type offsetMetadata struct {
	WatermarkMs int64             `json:"batchWatermarkMs"`
	TimestampMs int64             `json:"batchTimestampMs"`
	Conf        map[string]string `json:"conf"`
	// SourceInfo is always empty in what Spark 4.3 writes, and there in version 2 only.
	SourceInfo *map[string]json.RawMessage `json:"sourceMetadataInfo,omitempty"`
}

type commitMetadata struct {
	NextWatermarkMs int64                `json:"nextBatchWatermarkMs"`
	StateIDs        map[int64][][]string `json:"stateUniqueIds,omitempty"`
	Sinks           map[string]SinkInfo  `json:"sinkMetadataMap,omitempty"`
}

// EncodeOffsets gives an offset log entry as Spark 4.3 writes it. It fails on a source
// name that the format cannot hold and on an offset that is not JSON.
func EncodeOffsets(e OffsetEntry) ([]byte, error) {
	m := offsetMetadata{WatermarkMs: e.WatermarkMs, TimestampMs: e.TimestampMs, Conf: e.Conf}
	if m.Conf == nil {
		m.Conf = map[string]string{}
	}
	var lines []string
	switch e.Version {
	case 1:
		for _, o := range e.Ordered {
			line, err := offsetLine(o)
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
	case 2:
		m.SourceInfo = &map[string]json.RawMessage{}
		for name, o := range e.Sources {
			line, err := offsetLine(o)
			if err != nil {
				return nil, err
			}
			if name == "" || strings.ContainsAny(name, ":\r\n") {
				return nil, fmt.Errorf("source name %q cannot be written to the offset log", name)
			}
			lines = append(lines, name+":"+line)
		}
		sort.Strings(lines)
	default:
		return nil, fmt.Errorf("offset log version %d", e.Version)
	}
	b, err := versioned(e.Version, m)
	for _, l := range lines {
		b = append(append(b, '\n'), l...)
	}
	return b, err
}

// offsetLine is an offset on one line.
func offsetLine(o json.RawMessage) (string, error) {
	if o == nil {
		return void, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, o); err != nil {
		return "", fmt.Errorf("offset %q is not JSON: %w", o, err)
	}
	return b.String(), nil
}

// EncodeCommit gives a commit log entry as Spark 4.3 writes it.
func EncodeCommit(e CommitEntry) ([]byte, error) {
	m := commitMetadata{NextWatermarkMs: e.NextWatermarkMs}
	switch e.Version {
	case 1:
		if len(e.StateIDs) > 0 || len(e.Sinks) > 0 {
			return nil, fmt.Errorf("commit log version 1 cannot hold state ids or sinks")
		}
	case 2:
		if len(e.Sinks) > 0 {
			return nil, fmt.Errorf("commit log version 2 cannot hold sinks")
		}
		m.StateIDs = e.StateIDs
	case 3:
		m.StateIDs, m.Sinks = e.StateIDs, e.Sinks
	default:
		return nil, fmt.Errorf("commit log version %d", e.Version)
	}
	return versioned(e.Version, m)
}

// versioned is the "v1" line and a line of JSON, without a newline at the end.
func versioned(version int, v any) ([]byte, error) {
	b := bytes.NewBuffer(fmt.Appendf(nil, "v%d\n", version))
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
