package statestore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// schemaVersion is the version of the schema files that Registry writes and the newest one it reads.
const schemaVersion = 1

type schemaFile struct {
	Version  int      `json:"version"`
	Operator int      `json:"operator"`
	Store    string   `json:"store"`
	Keys     []Column `json:"keys"`
	Values   []Column `json:"values"`
	OrderCol int      `json:"orderColumn"`
	Route    []int    `json:"route,omitempty"`
	View     *View    `json:"view,omitempty"`
	// Checksum is that of the file as it would be without it; "" in files of before there was one.
	Checksum string `json:"checksum,omitempty"`
}

// checksumMember begins the last member of a schema file.
const checksumMember = `,"checksum":"`

// encode is the file with its checksum.
func (f schemaFile) encode() ([]byte, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(data[:len(data)-1], `%s%016x"}`, checksumMember, xxhash.Sum64(data)), nil
}

// whole tells whether the file's checksum, if it has one, is that of data.
func (f schemaFile) whole(data []byte) bool {
	at := bytes.LastIndex(data, []byte(checksumMember))
	if at < 0 || f.Checksum == "" {
		return at < 0 && f.Checksum == ""
	}
	return f.Checksum == fmt.Sprintf("%016x", xxhash.Sum64(append(data[:at:at], '}')))
}

// Registry keeps the schemas of a checkpoint's tables, one file per operator and store:
// schema/<operator>/<store>.json.
type Registry struct {
	dir objstore.Store
	// check is spark.sql.streaming.stateStore.stateSchemaCheck.
	check bool
}

// NewRegistry is the registry of a state directory; conf holds the query's settings.
func NewRegistry(dir objstore.Store, conf map[string]string) *Registry {
	return &Registry{dir, !strings.EqualFold(conf["spark.sql.streaming.stateStore.stateSchemaCheck"], "false")}
}

// Check records the schema of a table on first use and later compares it, as Spark does:
// number and types of the columns by position, keys first; names do not matter.
// The errors are STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE and
// STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE. Without the type check the column widths must still agree.
func (r *Registry) Check(ctx context.Context, id ID, s Schema) error {
	stored, ok, err := r.Read(ctx, id.Operator, id.Name)
	if err != nil {
		return err
	}
	if !ok {
		data, err := encodeSchema(id, s)
		if err != nil {
			return err
		}
		name := schemaName(id.Operator, id.Name)
		err = r.dir.CreateExclusive(ctx, name, data)
		if errors.Is(err, objstore.ErrExists) { // another partition was first
			return r.Check(ctx, id, s)
		}
		return condition.IO(err, "write", r.dir.URL(name))
	}
	return r.compare(stored, s)
}

// encodeSchema is the schema file of a table.
func encodeSchema(id ID, s Schema) ([]byte, error) {
	data, err := schemaFile{Version: schemaVersion, Operator: id.Operator, Store: id.Name, Keys: s.Keys, Values: s.Values, OrderCol: s.OrderCol, Route: s.Route, View: s.View}.encode()
	if err != nil {
		return nil, condition.New("INTERNAL_ERROR", "message", err.Error())
	}
	return data, nil
}

// SetOrder records the order column of a table that had none so far and whose rows are evicted from
// now on. It is for a query that is known to go on.
func (r *Registry) SetOrder(ctx context.Context, id ID, s Schema) error {
	stored, ok, err := r.Read(ctx, id.Operator, id.Name)
	if err != nil || !ok || stored.OrderCol == s.OrderCol {
		return err
	}
	data, err := encodeSchema(id, s)
	if err != nil {
		return err
	}
	name := schemaName(id.Operator, id.Name)
	return condition.IO(r.dir.Put(ctx, name, data), "write", r.dir.URL(name))
}

// Compare is Check for a table that may not be there yet; it records nothing.
func (r *Registry) Compare(ctx context.Context, id ID, s Schema) error {
	stored, ok, err := r.Read(ctx, id.Operator, id.Name)
	if err != nil || !ok {
		return err
	}
	return r.compare(stored, s)
}

func (r *Registry) compare(stored, s Schema) error {
	keys := r.compatible(stored.Keys, s.Keys)
	// A table without an order column may get one: no row has left it by one. The other way round, rows
	// that left would be back.
	if !keys || stored.OrderCol >= 0 && stored.OrderCol != s.OrderCol {
		err := condition.New("STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE",
			"storedKeySchema", describe(stored.Keys), "newKeySchema", describe(s.Keys))
		if keys {
			err = err.WithHint("rows were removed from the state by the watermark of a column that has none now, and would be back: put the watermark back, or start with a new checkpoint location")
		}
		return err
	}
	if !r.compatible(stored.Values, s.Values) {
		return condition.New("STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE",
			"storedValueSchema", describe(stored.Values), "newValueSchema", describe(s.Values))
	}
	return nil
}

func (r *Registry) compatible(stored, now []Column) bool {
	if len(stored) != len(now) {
		return false
	}
	for i, c := range stored {
		if c.Width != now[i].Width || r.check && !strings.EqualFold(c.Type, now[i].Type) {
			return false
		}
	}
	return true
}

func schemaName(operator int, store string) string {
	return fmt.Sprintf("schema/%d/%s.json", operator, store)
}

// Read gives the recorded schema of an operator's store, for tools that read the state.
func (r *Registry) Read(ctx context.Context, operator int, store string) (Schema, bool, error) {
	name := schemaName(operator, store)
	data, err := r.dir.Get(ctx, name)
	if errors.Is(err, objstore.ErrNotFound) {
		return Schema{}, false, nil
	}
	if err != nil {
		return Schema{}, false, condition.IO(err, "read", r.dir.URL(name))
	}
	s, err := DecodeSchema(r.dir.URL(name), data)
	return s, err == nil, err
}

// DecodeSchema reads a schema file; name is for errors: VSTREAM_NEWER_FORMAT and VSTREAM_CORRUPT_FILE.
func DecodeSchema(name string, data []byte) (Schema, error) {
	var f schemaFile
	if err := json.Unmarshal(data, &f); err != nil {
		return Schema{}, corruptSchema(name, err.Error())
	}
	if f.Version > schemaVersion {
		return Schema{}, condition.New("VSTREAM_NEWER_FORMAT", "file", name, "version", f.Version, "supported", schemaVersion)
	}
	if !f.whole(data) {
		return Schema{}, corruptSchema(name, "its checksum is wrong")
	}
	if f.Version < 1 || f.OrderCol < -1 || f.OrderCol >= len(f.Keys) {
		return Schema{}, corruptSchema(name, "it is no state schema")
	}
	for _, c := range append(f.Keys[:len(f.Keys):len(f.Keys)], f.Values...) {
		if c.Width < 0 {
			return Schema{}, corruptSchema(name, "column "+c.Name+" has a negative width")
		}
	}
	if f.OrderCol >= 0 && f.Keys[f.OrderCol].Width != 8 {
		return Schema{}, corruptSchema(name, "the order column is not 8 bytes wide")
	}
	for _, i := range f.Route {
		if i < 0 || i >= len(f.Keys) {
			return Schema{}, corruptSchema(name, "the route names a key column that there is not")
		}
	}
	if f.View != nil {
		if err := f.View.check(len(f.Keys) + len(f.Values)); err != nil {
			return Schema{}, corruptSchema(name, err.Error())
		}
	}
	return Schema{Keys: f.Keys, Values: f.Values, OrderCol: f.OrderCol, Route: f.Route, View: f.View}, nil
}

func corruptSchema(name, detail string) error {
	return condition.New("VSTREAM_CORRUPT_FILE", "file", name, "detail", detail)
}

// describe is how Spark writes a schema into these messages.
func describe(cols []Column) string {
	fields := make([]string, len(cols))
	for i, c := range cols {
		fields[i] = fmt.Sprintf("StructField(%s,%s,%v)", c.Name, typeName(c.Type), c.Nullable)
	}
	return "StructType(" + strings.Join(fields, ",") + ")"
}

var sparkTypeNames = map[string]string{
	"boolean": "BooleanType", "tinyint": "ByteType", "smallint": "ShortType", "int": "IntegerType", "bigint": "LongType",
	"float": "FloatType", "double": "DoubleType", "string": "StringType", "binary": "BinaryType", "date": "DateType",
	"timestamp": "TimestampType", "timestamp_ntz": "TimestampNTZType", "void": "NullType",
}

// typeName is Spark's name of a type given as DDL; nested types stay DDL.
func typeName(ddl string) string {
	lower := strings.ToLower(ddl)
	if n, ok := sparkTypeNames[lower]; ok {
		return n
	}
	if args, ok := strings.CutPrefix(lower, "decimal("); ok {
		return "DecimalType(" + strings.ReplaceAll(args, " ", "")
	}
	return ddl
}
