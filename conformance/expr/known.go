package expr

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vstream/vstream/conformance/runner"
)

// StrictFile is the name of the list of cases that pass, but for a column name, a
// message parameter or a position. It stands beside runner.KnownFile and has its form.
const StrictFile = "known_details.txt"

// ApplyKnown marks the known failures among results, from the lists beside their case
// files, and returns the entries that no failure bears out any more.
func ApplyKnown(results []runner.Result, strict bool) (stale []string, err error) {
	for dir, part := range byFolder(results) {
		for _, name := range knownFiles(strict) {
			k, err := readKnown(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			stale = append(stale, k.Apply(part)...)
		}
		copyBack(results, part)
	}
	return stale, nil
}

// UpdateKnown brings the lists up to date: without strict that of the failures, with
// strict that of the failures in details.
func UpdateKnown(results []runner.Result, strict bool) error {
	for dir, part := range byFolder(results) {
		names := knownFiles(strict)
		for _, name := range names[:len(names)-1] {
			k, err := readKnown(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			k.Apply(part)
		}
		var rest []runner.Result
		for _, r := range part {
			if r.Known == "" {
				rest = append(rest, r)
			}
		}
		file := filepath.Join(dir, names[len(names)-1])
		k, err := readKnown(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, k.Updated(rest), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func knownFiles(strict bool) []string {
	if strict {
		return []string{runner.KnownFile, StrictFile}
	}
	return []string{runner.KnownFile}
}

func readKnown(file string) (*runner.Known, error) {
	k, err := runner.ReadKnown(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &runner.Known{File: file}, nil
	}
	return k, err
}

// byFolder groups results by the folder of their case file.
func byFolder(results []runner.Result) map[string][]runner.Result {
	out := map[string][]runner.Result{}
	for _, r := range results {
		dir := filepath.Dir(r.File)
		out[dir] = append(out[dir], r)
	}
	return out
}

// copyBack gives the results their marks.
func copyBack(results, marked []runner.Result) {
	known := make(map[[2]string]string, len(marked))
	for _, r := range marked {
		known[[2]string{r.File, r.Name}] = r.Known
	}
	for i := range results {
		if k := known[[2]string{results[i].File, results[i].Name}]; k != "" {
			results[i].Known = k
		}
	}
}
