package runner

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
)

// Find lists the scenario files among paths, which are files and directories: the
// files that end in .yaml. run selects by AREA/NAME; nil selects all.
func Find(paths []string, run *regexp.Regexp) ([]string, error) {
	var out []string
	add := func(file string) {
		if strings.HasSuffix(file, ".yaml") && (run == nil || run.MatchString(Name(file))) {
			out = append(out, file)
		}
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			add(p)
			continue
		}
		err = filepath.WalkDir(p, func(file string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				add(file)
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

// perCPU is how many scenarios run at a time for each CPU: they spend most of their
// time waiting for a trigger.
const perCPU = 3

// CheckAll checks files side by side. done is called for each, one at a time.
func CheckAll(ctx context.Context, files []string, o Options, update bool, done func(Result)) []Result {
	results := make([]Result, len(files))
	next := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(len(files), perCPU*runtime.GOMAXPROCS(0)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				results[i] = Check(ctx, files[i], o, update)
				mu.Lock()
				if done != nil {
					done(results[i])
				}
				mu.Unlock()
			}
		}()
	}
	for i := range files {
		next <- i
	}
	close(next)
	wg.Wait()
	return results
}
