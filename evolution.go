package vstream

import (
	"sort"
	"strings"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/stream"
)

// Source evolution: sources that have names keep their positions in the checkpoint
// when other sources come and go. The rules and conditions are Spark's.

// checkSourceName checks the name of a streaming source against the setting.
func checkSourceName(name string, conf map[string]string) error {
	enabled := stream.SourceEvolution(conf)
	switch {
	case name == "" && enabled:
		return condition.New("STREAMING_QUERY_EVOLUTION_ERROR.UNNAMED_STREAMING_SOURCES_WITH_ENFORCEMENT", "sourceInfo", "1").
			WithHint("give every streaming source a name")
	case name == "":
		return nil
	case !checkpoint.ValidSourceName(name):
		return condition.New("INVALID_STREAMING_SOURCE_NAME", "source_name", name)
	case !enabled:
		return condition.New("STREAMING_QUERY_EVOLUTION_ERROR.SOURCE_NAMING_NOT_SUPPORTED", "name", name)
	}
	return nil
}

// checkDuplicateNames refuses two sources of one query with one name.
func checkDuplicateNames(inputs []*stream.Input) error {
	seen, twice := map[string]int{}, []string{}
	for _, in := range inputs {
		if in.Name == "" {
			continue
		}
		if seen[in.Name]++; seen[in.Name] == 2 {
			twice = append(twice, "'"+in.Name+"'")
		}
	}
	if len(twice) == 0 {
		return nil
	}
	sort.Strings(twice)
	return condition.New("STREAMING_QUERY_EVOLUTION_ERROR.DUPLICATE_SOURCE_NAMES", "names", strings.Join(twice, ", "))
}
