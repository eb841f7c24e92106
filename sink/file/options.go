package file

import "github.com/vstream/vstream/sink"

var common = []sink.Option{
	{Name: "path", Type: "path", Doc: "the output directory"},
	{Name: "maxRecordsPerFile", Type: "long", Default: "0", Doc: "rows after which a task begins another file; 0: no limit"},
	{Name: "retention", Type: "duration", Doc: "age at which an output file drops out of the directory's log, at the log's next compaction; without it files stay"},
}

var textCompression = sink.Option{Name: "compression", Type: "string", Default: "none", Doc: "none, gzip, deflate or zstd"}

var times = []sink.Option{
	{Name: "timestampFormat", Type: "pattern", Default: "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", Doc: "how timestamps are printed"},
	{Name: "timestampNTZFormat", Type: "pattern", Default: "yyyy-MM-dd'T'HH:mm:ss[.SSS]", Doc: "how timestamps without a zone are printed"},
	{Name: "dateFormat", Type: "pattern", Default: "yyyy-MM-dd", Doc: "how dates are printed"},
	{Name: "timeZone", Type: "string", Default: "spark.sql.session.timeZone", Doc: "the zone in which timestamps are printed"},
}

var lineSep = sink.Option{Name: "lineSep", Type: "string", Default: `\n`, Doc: "what ends a row"}

// options documents the options of a format.
func options(format string) []sink.Option {
	out := append([]sink.Option(nil), common...)
	switch format {
	case "parquet":
		return append(out, sink.Option{Name: "compression", Type: "string", Default: "snappy", Doc: "none, snappy, gzip, zstd, brotli or lz4_raw"})
	case "json":
		out = append(append(out, times...), sink.Option{Name: "ignoreNullFields", Type: "boolean", Default: "true", Doc: "leave null fields out"})
	case "csv":
		out = append(append(out, times...),
			sink.Option{Name: "header", Type: "boolean", Default: "false", Doc: "begin each file with the column names"},
			sink.Option{Name: "sep", Type: "char", Default: ",", Doc: "what separates values"},
			sink.Option{Name: "quote", Type: "char", Default: `"`, Doc: "what stands around values that need it"},
			sink.Option{Name: "escape", Type: "char", Default: `\`, Doc: "what stands before a quote within a quoted value"},
			sink.Option{Name: "escapeQuotes", Type: "boolean", Default: "true", Doc: "quote values that hold a quote"},
			sink.Option{Name: "quoteAll", Type: "boolean", Default: "false", Doc: "quote all values"},
			sink.Option{Name: "nullValue", Type: "string", Default: "", Doc: "stands for a null"},
			sink.Option{Name: "emptyValue", Type: "string", Default: `""`, Doc: "stands for an empty string"},
			sink.Option{Name: "ignoreLeadingWhiteSpace", Type: "boolean", Default: "true", Doc: "cut blanks before values"},
			sink.Option{Name: "ignoreTrailingWhiteSpace", Type: "boolean", Default: "true", Doc: "cut blanks behind values"})
	}
	return append(out, textCompression, lineSep)
}
