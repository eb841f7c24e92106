package objstore

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrName is returned for a name that cannot name an object.
var ErrName = errors.New("invalid object name")

// CheckName returns an ErrName unless name is made of slash-separated elements, none
// of them empty, "." or "..".
func CheckName(name string) error {
	if name == "." || !fs.ValidPath(name) {
		return fmt.Errorf("%w: %q", ErrName, name)
	}
	return nil
}
