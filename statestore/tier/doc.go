// Package tier keeps rows that are only looked up by key, and not by ranges, on a local disk: in files, each
// ordered by a hash of the key. Rows come in large batches, and so do lookups; with both in
// the order of the hash, a lookup walks through the files once and reads what is close together at
// once, and how far a row is into its file is known without reading anything. Of each file a filter in
// memory tells for most keys that it does not have them.
//
// Files are never changed. A batch of rows becomes a new one, whose rows stand for those of older files
// with the same key, and files of similar size are merged, so that a table has few.
package tier
