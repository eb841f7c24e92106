package condition

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// IO makes a condition of an error of the operating system or an object store.
// op is what was tried, as a verb ("read", "write", "list"), and path where. A nil
// error, an error that holds a condition already, and the end of a context are
// returned as they are.
//
//	no space, quota                VSTREAM_DISK_FULL
//	no permission, read-only       VSTREAM_PERMISSION_DENIED
//	no such file or directory      PATH_NOT_FOUND
//	too many open files            VSTREAM_TOO_MANY_FILES
//	everything else                VSTREAM_IO
func IO(err error, op, path string) error {
	var known *Error
	switch {
	case err == nil, errors.As(err, &known),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ioError("VSTREAM_DISK_FULL", err, RetryRestart, "op", op, "path", path).
			WithHint("free some space and start the query again; what was committed is safe")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ioError("VSTREAM_PERMISSION_DENIED", err, RetryNever, "op", op, "path", path)
	case errors.Is(err, fs.ErrNotExist):
		return ioError("PATH_NOT_FOUND", err, RetryNever, "path", path)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return ioError("VSTREAM_TOO_MANY_FILES", err, RetryRestart, "op", op, "path", path).
			WithHint("raise the limit of open files (ulimit -n)")
	}
	return ioError("VSTREAM_IO", err, RetryRestart, "op", op, "path", path, "detail", reason(err))
}

func ioError(name string, err error, retry Retry, params ...any) *Error {
	e := New(name, params...).WithCause(err)
	e.Retry = retry
	return e
}

// reason is err's text without the operation and path that the message has already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
