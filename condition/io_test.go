package condition_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/vstream/vstream/condition"
)

func TestIO(t *testing.T) {
	_, missing := os.ReadFile("no/such/file")
	tests := []struct {
		err  error
		want condition.Name
	}{
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, "VSTREAM_DISK_FULL"},
		{syscall.EDQUOT, "VSTREAM_DISK_FULL"},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, "VSTREAM_PERMISSION_DENIED"},
		{syscall.EROFS, "VSTREAM_PERMISSION_DENIED"},
		{missing, "PATH_NOT_FOUND"},
		{fmt.Errorf("wrapped: %w", syscall.EMFILE), "VSTREAM_TOO_MANY_FILES"},
		{&fs.PathError{Op: "read", Path: "x", Err: syscall.EIO}, "VSTREAM_IO"},
		{errors.New("anything"), "VSTREAM_IO"},
		{condition.New("VSTREAM_CORRUPT_FILE"), "VSTREAM_CORRUPT_FILE"},
	}
	for _, tt := range tests {
		got := condition.IO(tt.err, "write", "/data/x")
		if !errors.Is(got, tt.want) || !errors.Is(got, tt.err) {
			t.Errorf("IO(%v) = %v, want %s", tt.err, got, tt.want)
		}
	}
	if condition.IO(nil, "read", "x") != nil {
		t.Error("IO(nil) is not nil")
	}
	if err := condition.IO(context.Canceled, "read", "x"); err != context.Canceled {
		t.Errorf("IO(Canceled) = %v", err)
	}
}
