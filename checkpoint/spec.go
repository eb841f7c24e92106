package checkpoint

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// specFile is a file of ours beside Spark's; Spark ignores it.
const specFile = "vstream-query"

// Spec says what a query computes and where it writes, as far as a restart may not
// change it without anybody noticing. Spark keeps only the types of keys and states.
type Spec struct {
	// ID is the id of the query, as in the metadata: a metadata file of another
	// checkpoint is noticed.
	ID string `json:"id,omitempty"`
	// Operators describe the meaning of each stateful operator, in the order of their
	// ids: "keys", "aggregates", …
	Operators []map[string]string `json:"operators"`
	// Sources are the names of the named sources, Removed those of sources that the
	// query once had.
	Sources []string `json:"sources,omitempty"`
	Removed []string `json:"removed,omitempty"`
	// Sink is the sink's kind and place.
	Sink string `json:"sink"`
}

// ReadSpec reads the spec that WriteSpec wrote; ok is false if there is none, as in
// a checkpoint that Spark began.
func (d *Dir) ReadSpec(ctx context.Context) (s Spec, ok bool, err error) {
	data, err := d.store.Get(ctx, specFile)
	if errors.Is(err, objstore.ErrNotFound) {
		return s, false, nil
	}
	if err != nil {
		return s, false, condition.IO(err, "read", d.store.URL(specFile))
	}
	s, err = DecodeSpec(d.store.URL(specFile), data)
	return s, err == nil, err
}

// DecodeSpec reads a spec; errors as in DecodeOffsets.
func DecodeSpec(file string, data []byte) (Spec, error) {
	var s Spec
	_, lines, err := splitVersion(file, data, 1)
	if err != nil {
		return s, err
	}
	if len(lines) != 1 {
		return s, corrupt(file, "it must have two lines")
	}
	return s, decodeObject(file, lines[0], &s)
}

// WriteSpec replaces the spec.
func (d *Dir) WriteSpec(ctx context.Context, s Spec) error {
	line, err := json.Marshal(s)
	if err != nil {
		return condition.New("INTERNAL_ERROR", "message", err.Error())
	}
	return condition.IO(d.store.Put(ctx, specFile, append([]byte("v1\n"), line...)), "write", d.store.URL(specFile))
}
