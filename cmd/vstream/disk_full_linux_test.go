package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDiskFull runs out of space on a small file system of its own, and goes on with more.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	for _, d := range []string{disk, filepath.Join(dir, "in")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=128k"); err != nil {
		t.Skip("a file system cannot be mounted here:", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	for i := range 4 {
		var b strings.Builder
		for k := range 4000 {
			fmt.Fprintf(&b, "{\"k\":\"%x\"}\n", sha256.Sum256(fmt.Append(nil, i, k))) // does not compress
		}
		if err := os.WriteFile(filepath.Join(dir, "in", fmt.Sprint(i, ".json")), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	jobFile := filepath.Join(dir, "job.yaml")
	const job = `
conf: {spark.sql.shuffle.partitions: 2}
sources:
  e: {format: json, options: {path: in, maxFilesPerTrigger: 1}, schema: "k STRING"}
queries:
  q:
    sql: SELECT k, count(*) AS n FROM e GROUP BY k
    outputMode: update
    trigger: {availableNow: true}
    checkpointLocation: disk/checkpoint
    sink: {format: noop}
`
	if err := os.WriteFile(jobFile, []byte(job), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func() (code int, stderr string) {
		var out, errs bytes.Buffer
		code = execute(context.Background(), []string{"run", jobFile}, &out, &errs)
		return code, errs.String()
	}
	code, stderr := run()
	for _, part := range []string{"error[VSTREAM_DISK_FULL]: Cannot write " + disk + "/checkpoint/", "in query q, batch ", "hint: free some space"} {
		if code != exitFailed || !strings.Contains(stderr, part) {
			t.Errorf("exit code %d, want %d; %q is not in\n%s", code, exitFailed, part, stderr)
		}
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	if code, stderr := run(); code != exitDone {
		t.Errorf("exit code %d with space again\n%s", code, stderr)
	}
	if code, stderr := run(); code != exitDone || !strings.Contains(stderr, "up to date") {
		t.Errorf("exit code %d in the end\n%s", code, stderr)
	}
}
