package expr

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/vstream/vstream/conformance/runner"
)

// Suffix is that of case files.
const Suffix = ".jsonl"

// Find lists the case files among paths, which are files and directories.
func Find(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if strings.HasSuffix(p, Suffix) {
				out = append(out, p)
			}
			continue
		}
		err = filepath.WalkDir(p, func(file string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(file, Suffix) {
				out = append(out, file)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	sort.Strings(out)
	return out, nil
}

// CheckAll runs the cases of files side by side; the result of each is named
// AREA/ID. run selects by that name; nil selects all.
func CheckAll(ctx context.Context, files []string, run *regexp.Regexp, strict bool) ([]runner.Result, error) {
	var todo []job
	checkers := map[string]*Checker{}
	for _, f := range files {
		cases, err := ReadCases(f)
		if err != nil {
			return nil, err
		}
		dir := filepath.Dir(f)
		if checkers[dir] == nil {
			in, err := FindInputs(f)
			if err != nil {
				return nil, err
			}
			checkers[dir] = NewChecker(in, strict)
		}
		for _, c := range cases {
			if name := c.Area + "/" + c.ID; run == nil || run.MatchString(name) {
				todo = append(todo, job{checkers[dir], c, runner.Result{Name: name, File: f}})
			}
		}
	}
	next := make(chan *job)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range next {
				j.check(ctx)
			}
		}()
	}
	for i := range todo {
		next <- &todo[i]
	}
	close(next)
	wg.Wait()
	out := make([]runner.Result, len(todo))
	for i := range todo {
		out[i] = todo[i].result
	}
	return out, nil
}

type job struct {
	checker *Checker
	c       *Case
	result  runner.Result
}

func (j *job) check(ctx context.Context) {
	began := time.Now()
	if diff := j.checker.Check(ctx, j.c); diff != "" {
		j.result.Status = runner.Failed
		j.result.Details = []string{diff, "in: " + j.c.Text()}
	}
	j.result.Took = time.Since(began)
}
