// Package job reads job files: YAML that says what is read, computed and written.
package job

// Job is one job file.
type Job struct {
	File    string // its path, for messages; "" for a job inside a scenario
	Conf    map[string]string
	Sources []*Source // in the order of the file
	Views   []*View
	Queries []*Query

	confAt map[string]Place
	src    string // the file's text
}

// Source is one entry of sources.
type Source struct {
	Name       string // the name that SQL uses
	Format     string
	Options    map[string]string
	Schema     Text // DDL
	Watermark  *Watermark
	Static     bool
	SourceName string // `name`, for source evolution
	At         Place
}

// Watermark is {column, delay}.
type Watermark struct {
	Column, Delay string
	At            Place
}

// View is one entry of views: SQL, or a transformation of another table.
type View struct {
	Name            string
	SQL             Text
	From            string
	Filter          Text
	Select          []Text
	DropDuplicates  bool
	DuplicateKeys   []string
	WithinWatermark bool
	Process         map[string]string // transformWithState
	Watermark       *Watermark
	At              Place
}

// Query is one entry of queries.
type Query struct {
	Name       string
	SQL        Text
	OutputMode string
	Trigger    *Trigger
	Checkpoint string
	Sink       *Sink // nil: rows are captured (scenarios)
	Late       *Sink // for the rows that stateful operators drop; nil: none
	Options    map[string]string
	At         Place
	// Ordered and FailAtBatch belong to scenarios: the order of rows counts; the
	// capturing sink fails once after the output of that batch (-1: never).
	Ordered     bool
	FailAtBatch int
}

// Trigger is the trigger as written: one of processingTime, once, availableNow,
// continuous, realTime, with its interval.
type Trigger struct {
	Kind     string
	Interval string
	At       Place
}

// Sink is where a query's rows go.
type Sink struct {
	Format      string
	Options     map[string]string // path, topic and table are among them
	PartitionBy []string
	ReadSchema  string // scenarios: the columns with which text formats are read back
	At          Place
}

// Place is a position in the file: line and column from 1.
type Place struct{ Line, Column int }

// Text is a piece of SQL in the file, with the place of its first character and
// how its further lines are indented, so that errors in it point into the file.
type Text struct {
	Value  string
	At     Place
	Indent int
}
