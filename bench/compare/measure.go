package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// sample is one repetition.
type sample struct {
	Wall  float64 `json:"wall"` // seconds
	CPU   float64 `json:"cpu"`  // seconds
	RSSMB int64   `json:"rssMB"`
	// WrittenMB is what went to disk: checkpoint, output and scratch files.
	WrittenMB int64 `json:"writtenMB"`
	Rows      int64 `json:"rows"` // that a query without output files wrote; -1 if they are not the stream's
}

// measureArg as the first argument makes this program run the command after it,
// with a sample as JSON to the file descriptor 3.
//
// A process begins with the peak memory of the one that it was forked from. This
// program reads the results of all engines, so that its own would stand in for a
// command's; a fresh and small process between the two keeps it out.
const measureArg = "measure-command"

// blockSize is that of getrusage's count of blocks in bytes.
const blockSize = 512

// measureCommand runs the command and returns the exit code.
func measureCommand(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	out := os.NewFile(3, "sample")
	s := sample{Wall: wall.Seconds(), CPU: cpu.Seconds(), RSSMB: usage.Maxrss / 1024, WrittenMB: usage.Oublock / (1 << 20 / blockSize)}
	if err := json.NewEncoder(out).Encode(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}

// measure runs a command by way of measureCommand. The error of a command that
// fails holds what it printed to its standard error.
func measure(cmd *exec.Cmd) (s sample, err error) {
	self, err := os.Executable()
	if err != nil {
		return s, err
	}
	cmd.Args = append([]string{self, measureArg, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = self
	r, w, err := os.Pipe()
	if err != nil {
		return s, err
	}
	defer r.Close()
	cmd.ExtraFiles = []*os.File{w}
	err = cmd.Start()
	w.Close()
	if err != nil {
		return s, err
	}
	decoded := json.NewDecoder(r).Decode(&s)
	if err := cmd.Wait(); err != nil {
		return s, err
	}
	return s, decoded
}
