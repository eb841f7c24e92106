package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"vstream": func() { os.Exit(execute(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs command lines against what they print. VSTREAM_UPDATE_SCRIPTS=1
// writes what they print into the scripts.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("VSTREAM_UPDATE_SCRIPTS") != "",
		Cmds:          map[string]func(ts *testscript.TestScript, neg bool, args []string){"exitcode": exitCodeCmd, "waitfor": waitForCmd},
	})
}

// exitCodeCmd is "exitcode N command…": the command must end with the exit code N.
func exitCodeCmd(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exitcode N command…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if e, ok := err.(interface{ ExitCode() int }); ok {
		code = string(rune('0' + e.ExitCode()))
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// waitForCmd is "waitfor FILE": it waits until the file is there.
func waitForCmd(ts *testscript.TestScript, _ bool, args []string) {
	deadline := time.Now().Add(30 * time.Second)
	for {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not appear", args[0])
		}
		time.Sleep(5 * time.Millisecond)
	}
}
