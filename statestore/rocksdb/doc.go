// Package rocksdb is the state store driver "rocksdb": the same changelogs and snapshots as
// every store, and beneath the operators' tables a capacity tier, so that state may be
// larger than memory. The tier is a RocksDB database and, for tables without an order column, the files of
// package tier, in a local scratch folder: without a log,
// never read after the end of the process, always loaded from the checkpoint.
//
// Importing it registers it under "rocksdb" and Spark's provider class name, in programs that are built with
// the tag rocksdb, which needs cgo and RocksDB's library and header (version 7.8 or
// later; on Debian and Ubuntu: apt-get install librocksdb-dev). Without the tag the
// package is empty.
package rocksdb
