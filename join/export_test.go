package join

// SortInTier makes rows be sorted in the tier already when they take so many bytes, until restore is called.
func SortInTier(bytes int) (restore func()) {
	before := sortBytes
	sortBytes = bytes
	return func() { sortBytes = before }
}
