package stream

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/checkpoint"
	"github.com/vstream/vstream/condition"
)

// SourceEvolution tells whether sources are known by name in the checkpoint.
func SourceEvolution(conf map[string]string) bool {
	return strings.EqualFold(conf["spark.sql.streaming.queryEvolution.enableSourceEvolution"], "true")
}

// names are what the offset log calls the sources: their names, or their positions
// where a log of version 2 is kept without names.
func (e *Execution) names() []string {
	names := make([]string, len(e.cfg.Inputs))
	for i, in := range e.cfg.Inputs {
		names[i] = in.Name
		if in.Name == "" {
			names[i] = strconv.Itoa(i)
		}
	}
	return names
}

// settleOffsets decides the version of the offset log: what the checkpoint has stays.
func (e *Execution) settleOffsets(r *checkpoint.Recovery) error {
	e.offsetVersion = 1
	if SourceEvolution(e.conf) || e.conf["spark.sql.streaming.offsetLog.formatVersion"] == "2" {
		e.offsetVersion = 2
	}
	if r.Offsets == nil {
		return nil
	}
	if r.Offsets.Version == 1 && SourceEvolution(e.conf) {
		return condition.New("STREAMING_QUERY_EVOLUTION_ERROR.CANNOT_ENABLE_ON_EXISTING_CHECKPOINT", "existingVersion", r.Offsets.Version)
	}
	e.offsetVersion = r.Offsets.Version
	if e.offsetVersion != 2 || SourceEvolution(e.conf) {
		return nil
	}
	for name := range r.Offsets.Sources {
		if !slices.Contains(e.names(), name) {
			return checkpoint.Refuse("names.off", "", "on, with a source named "+name, "off")
		}
	}
	return nil
}
