// Command vstream runs, checks and tests streaming jobs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vstream/vstream/condition"
	_ "github.com/vstream/vstream/drivers"
	_ "github.com/vstream/vstream/statestore/rocksdb" // empty in a program built without it
)

func main() {
	os.Exit(execute(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// The exit codes.
const (
	exitDone    = 0
	exitFailed  = 1 // a query or a test failed
	exitJob     = 2 // the job file or the command line is wrong
	exitRefused = 3 // the checkpoint refuses the change
)

// exitError ends the process with a code. err is printed unless it is nil.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return fmt.Sprint(e.err) }

// wrong is the error of a job that cannot be started.
func wrong(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitCode(err, exitJob), err}
}

// exitCode tells by an error's condition whose fault it is; other is the code of the
// conditions that do not tell.
func exitCode(err error, other int) int {
	var e *condition.Error
	if !errors.As(err, &e) {
		return other
	}
	for _, prefix := range checkpointRefusals {
		if strings.HasPrefix(e.Name, prefix) {
			return exitRefused
		}
	}
	switch e.Name {
	case "VSTREAM_INVALID_OPTION": // sources check their options when the query runs, as in Spark
		return exitJob
	case "VSTREAM_DISK_FULL", "VSTREAM_TOO_MANY_FILES":
		return exitFailed
	}
	return other
}

// checkpointRefusals are the beginnings of the names of conditions that say that a
// query does not go with its checkpoint or with what it has written, or that the
// checkpoint is damaged or in use.
var checkpointRefusals = []string{
	"VSTREAM_RESTART_REFUSED", "VSTREAM_CHECKPOINT_", "VSTREAM_SINK_LACKS_BATCHES", "VSTREAM_SINK_OF_ANOTHER_QUERY",
	"VSTREAM_SOURCE_PATH_CHANGED", "VSTREAM_STATE_VERSION_UNAVAILABLE", "VSTREAM_NEWER_FORMAT", "VSTREAM_CORRUPT_FILE",
	"STATE_STORE_", "STATE_REPARTITION_", "STATE_REWRITER_", "STREAMING_STATEFUL_OPERATOR_", "STREAMING_CHECKPOINT_", "STREAMING_QUERY_EVOLUTION",
	"INVALID_LOG_VERSION", "MALFORMED_LOG_FILE", "CONCURRENT_STREAM_LOG_UPDATE",
}

// execute runs one command line and gives the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use: "vstream", Short: "Stream processing with the semantics of Spark Structured Streaming",
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(runCommand(), validateCommand(), explainCommand(), testCommand(), stateCommand(), checkpointCommand(), versionCommand())
	err := root.ExecuteContext(ctx)
	var e *exitError
	switch {
	case err == nil:
		return exitDone
	case !errors.As(err, &e):
		fmt.Fprintf(stderr, "error: %s\n  vstream --help lists the commands\n", err)
		return exitJob
	case e.err != nil:
		fmt.Fprint(stderr, condition.Render(e.err))
	}
	return e.code
}
