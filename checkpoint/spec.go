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

// Spec says what a query is: what it reads, computes and writes, as far as people may
// want to know what has changed since its last run. Spark keeps only the types of keys
// and states.
type Spec struct {
	// ID is the id of the query, as in the metadata: a metadata file of another
	// checkpoint is noticed.
	ID    string `json:"id,omitempty"`
	Facts []Fact `json:"facts"`
	// Sources are the names of the named sources, Removed those of sources that the
	// query once had.
	Sources []string `json:"sources,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// Fact is one property of a query. The rules of Key say whether it may change.
type Fact struct {
	Key     string `json:"key"`               // of the rules: "sink.folder"
	Subject string `json:"subject,omitempty"` // of what: "source e", "stateful operator 0"; "" for the query
	Value   string `json:"value"`
	// Label is how messages call the subject if not by its name.
	Label string `json:"-"`
}

// Value is the value of a fact; ok is false if the spec does not have it.
func (s Spec) Value(key, subject string) (value string, ok bool) {
	for _, f := range s.Facts {
		if f.Key == key && f.Subject == subject {
			return f.Value, true
		}
	}
	return "", false
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
