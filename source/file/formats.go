package file

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/format/csv"
	"github.com/vstream/vstream/format/json"
	"github.com/vstream/vstream/format/text"
	"github.com/vstream/vstream/source"
	"github.com/vstream/vstream/vector"
)

// jsonBatch is the number of records of a batch of JSON rows.
const jsonBatch = 16 << 10

var recordOptions = []source.Option{
	{Name: "mode", Type: "string", Default: "PERMISSIVE", Doc: "What happens to malformed records: PERMISSIVE, DROPMALFORMED or FAILFAST."},
	{Name: "columnNameOfCorruptRecord", Type: "string", Default: "_corrupt_record", Doc: "Column that takes the text of malformed records."},
	{Name: "timestampFormat", Type: "string", Doc: "Java pattern of timestamps."},
	{Name: "timestampNTZFormat", Type: "string", Doc: "Java pattern of timestamps without time zone."},
	{Name: "dateFormat", Type: "string", Doc: "Java pattern of dates."},
	{Name: "timeZone", Type: "string", Doc: "Zone of timestamps without one; the session's by default."},
	{Name: "multiLine", Type: "boolean", Default: "false", Doc: "Records may span lines."},
	{Name: "lineSep", Type: "string", Doc: `Line separator; \n, \r\n and \r by default.`},
}

var csvFormat = format{
	name: "csv", summary: "CSV files.", filters: true,
	options: append([]source.Option{
		{Name: "header", Type: "boolean", Default: "false", Doc: "The first line of a file has the column names."},
		{Name: "enforceSchema", Type: "boolean", Default: "true", Doc: "Ignore the names in the header; otherwise they must be the schema's."},
		{Name: "sep", Type: "string", Default: ",", Doc: "Separator of one or more characters; also named delimiter."},
		{Name: "quote", Type: "char", Default: `"`, Doc: "Quote of values; empty for none."},
		{Name: "escape", Type: "char", Default: `\`, Doc: "Escapes a quote inside a quoted value."},
		{Name: "charToEscapeQuoteEscaping", Type: "char", Doc: "Escapes the escape in front of a quote."},
		{Name: "comment", Type: "char", Doc: "Lines that begin with it are skipped."},
		{Name: "nullValue", Type: "string", Doc: "Text of a null."},
		{Name: "emptyValue", Type: "string", Doc: "What a quoted empty value is read as."},
		{Name: "nanValue", Type: "string", Default: "NaN", Doc: "Text of a number that is not one."},
		{Name: "positiveInf", Type: "string", Default: "Inf", Doc: "Text of infinity."},
		{Name: "negativeInf", Type: "string", Default: "-Inf", Doc: "Text of negative infinity."},
		{Name: "ignoreLeadingWhiteSpace", Type: "boolean", Default: "false", Doc: "Drop white space before values."},
		{Name: "ignoreTrailingWhiteSpace", Type: "boolean", Default: "false", Doc: "Drop white space behind values."},
		{Name: "inferSchema", Type: "boolean", Default: "false", Doc: "Infer types too when the schema is inferred."},
	}, recordOptions...),
	check: func(schema *vector.Schema, e env) error {
		o, err := csvOptions(e)
		if err != nil {
			return err
		}
		return csv.CheckSchema(schema, o)
	},
	infer: func(ctx context.Context, files []entry, e env) (*vector.Schema, error) {
		o, err := csvOptions(e)
		if err != nil {
			return nil, err
		}
		inf := csv.NewInference(o)
		for _, f := range files {
			if err := withText(ctx, f.path, func(in io.Reader) error { return inf.Add(in) }); err != nil {
				return nil, err
			}
		}
		return inf.Schema(), nil
	},
	text: func(e env, schema *vector.Schema, need []int) (textReader, error) {
		o, err := csvOptions(e)
		if err != nil {
			return nil, err
		}
		r, err := csv.NewReader(schema, need, o)
		if err != nil {
			return nil, err
		}
		return r.Read, nil
	},
	lines: linesOnly,
}

func csvOptions(e env) (csv.Options, error) {
	return csv.ParseOptions(e.options, csv.Session{
		Zone: e.zone, CorruptColumn: e.conf["spark.sql.columnNameOfCorruptRecord"],
		NoColumnPruning: e.conf["spark.sql.csv.parser.columnPruning.enabled"] == "false",
	})
}

// linesOnly tells that records end where lines do.
func linesOnly(e env) bool { return e.get("lineSep") == "" && !isTrue(e.get("multiLine")) }

func isTrue(s string) bool { return strings.EqualFold(s, "true") }

var jsonFormat = format{
	name: "json", summary: "JSON files: a record per line, or a file per record with multiLine.", filters: true,
	options: append([]source.Option{
		{Name: "allowSingleQuotes", Type: "boolean", Default: "true", Doc: "Allow single quotes around names and values."},
		{Name: "allowUnquotedFieldNames", Type: "boolean", Default: "false", Doc: "Allow names without quotes."},
		{Name: "allowNumericLeadingZeros", Type: "boolean", Default: "false", Doc: "Allow leading zeros of numbers."},
		{Name: "allowBackslashEscapingAnyCharacter", Type: "boolean", Default: "false", Doc: "Allow a backslash before any character."},
		{Name: "allowUnquotedControlChars", Type: "boolean", Default: "false", Doc: "Allow control characters in strings."},
		{Name: "allowNonNumericNumbers", Type: "boolean", Default: "true", Doc: "Allow NaN and infinities as numbers."},
		{Name: "allowComments", Type: "boolean", Default: "false", Doc: "Allow comments as in Java."},
	}, recordOptions...),
	check: func(_ *vector.Schema, e env) error {
		_, err := jsonOptions(e)
		return err
	},
	infer: inferJSON,
	text:  jsonReader,
	lines: linesOnly,
}

func jsonOptions(e env) (json.Options, error) {
	o, err := json.ParseOptions(e.options, e.zone, e.conf["spark.sql.columnNameOfCorruptRecord"])
	o.ExactStrings = true
	return o, err
}

func inferJSON(ctx context.Context, files []entry, e env) (*vector.Schema, error) {
	o, err := jsonOptions(e)
	if err != nil {
		return nil, err
	}
	inf := json.NewInferrer(o)
	for _, f := range files {
		err := withText(ctx, f.path, func(in io.Reader) error {
			if isTrue(e.get("multiLine")) {
				data, err := io.ReadAll(in)
				if err != nil {
					return err
				}
				return inf.Add(data)
			}
			return text.Lines(in, e.get("lineSep"), true, inf.Add)
		})
		if err != nil {
			return nil, err
		}
	}
	return inf.Schema(), nil
}

func jsonReader(e env, schema *vector.Schema, need []int) (textReader, error) {
	o, err := jsonOptions(e)
	if err != nil {
		return nil, err
	}
	r := json.NewReader(schema.Project(need), o)
	if e.absent {
		r.NoteAbsent()
	}
	return func(in io.Reader, start bool, out func([]arrow.Array, int) error) error {
		flush := func() error {
			absent := r.Absent()
			cols, n := r.Flush()
			if n == 0 {
				return nil
			}
			if absent != nil {
				cols = append(cols, vector.NewFixed(vector.Long, absent, nil))
			}
			return out(cols, n)
		}
		if isTrue(e.get("multiLine")) {
			data, err := io.ReadAll(in)
			if err != nil {
				return err
			}
			if err := r.AppendLine(data); err != nil {
				return err
			}
			return flush()
		}
		line := int64(0)
		err := text.Lines(in, e.get("lineSep"), start, func(b []byte) error {
			line++
			if err := r.AppendLine(b); err != nil {
				var c *condition.Error
				if errors.As(err, &c) {
					return &lineError{line, c}
				}
				return err
			}
			if r.Rows() >= jsonBatch {
				return flush()
			}
			return nil
		})
		if err != nil {
			return err
		}
		return flush()
	}, nil
}

// lineError is an error at a line of what was read.
type lineError struct {
	line int64
	err  *condition.Error
}

func (e *lineError) Error() string { return e.err.Error() }
func (e *lineError) Unwrap() error { return e.err }

var textFormat = format{
	name: "text", summary: "Text files: a row with the column value per line.",
	options: []source.Option{
		{Name: "wholetext", Type: "boolean", Default: "false", Doc: "A file is one row."},
		{Name: "lineSep", Type: "string", Doc: `Line separator; \n, \r\n and \r by default.`},
	},
	schema: text.Schema,
	check: func(schema *vector.Schema, _ env) error {
		// Only one string column, whatever its name.
		if n := len(schema.Fields); n != 1 {
			return condition.New("_LEGACY_ERROR_TEMP_1290", "schemaSize", n)
		}
		if f := schema.Fields[0]; f.Type.Kind != vector.KindString {
			return condition.New("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", "format", "Text",
				"columnName", vector.QuoteIfNeeded(f.Name), "columnType", `"`+f.Type.SQL()+`"`)
		}
		return nil
	},
	text: func(e env, _ *vector.Schema, need []int) (textReader, error) {
		o := text.Options{WholeText: isTrue(e.get("wholetext")), LineSep: e.get("lineSep")}
		return func(in io.Reader, start bool, out func([]arrow.Array, int) error) error {
			return text.Read(in, start, o, len(need) > 0, out)
		}, nil
	},
	lines: func(e env) bool { return e.get("lineSep") == "" && !isTrue(e.get("wholetext")) },
}
