package file

import "path/filepath"

// seenFiles are the files of earlier batches, as far back as maxFileAge reaches.
type seenFiles struct {
	maxAgeMs int64
	nameOnly bool
	files    map[string]int64 // modification times
	newest   int64
	purged   int64 // files older than this count as seen
}

func newSeenFiles(maxAgeMs int64, nameOnly bool) *seenFiles {
	return &seenFiles{maxAgeMs: maxAgeMs, nameOnly: nameOnly, files: map[string]int64{}}
}

func (s *seenFiles) key(path string) string {
	if s.nameOnly {
		return filepath.Base(path)
	}
	return path
}

func (s *seenFiles) add(path string, modified int64) {
	s.files[s.key(path)] = modified
	s.newest = max(s.newest, modified)
}

func (s *seenFiles) isNew(path string, modified int64) bool {
	_, seen := s.files[s.key(path)]
	return modified >= s.purged && !seen
}

// purge forgets the files that are older than maxFileAge against the newest one.
func (s *seenFiles) purge() {
	s.purged = max(s.newest-s.maxAgeMs, 0)
	for k, t := range s.files {
		if t < s.purged {
			delete(s.files, k)
		}
	}
}
