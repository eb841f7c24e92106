//go:build rocksdb

// The calls that the tier makes into RocksDB, each for many rows: keys and values go in and
// out in flat memory. They use only functions of rocksdb/c.h that are the same from 7.8 to 11.

#ifndef VSTREAM_BRIDGE_H
#define VSTREAM_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct vs_db vs_db;
typedef struct vs_scan vs_scan;

// vs_buffer is memory that grows with what is put in; the caller frees data.
typedef struct {
  char *data;
  size_t len, cap;
} vs_buffer;

// All functions set *err to a message that the caller frees, or leave it alone.

vs_db *vs_open(const char *path, size_t cache, size_t write_buffer, int jobs, char **err);
void vs_close(vs_db *db);

// vs_write applies a write batch in RocksDB's wire form.
void vs_write(vs_db *db, const char *batch, size_t n, char **err);

// vs_ingest makes a table file of a write batch in wire form that has only puts, in
// ascending order of keys, and adds it to the database.
void vs_ingest(vs_db *db, const char *path, const char *batch, size_t n, char **err);

// vs_get looks up n keys in ascending order; key i is keys[off[i]..off[i+1]]. lens[i] is the length of
// its value in out, where the values lie one after another, or UINT32_MAX if there is none.
void vs_get(vs_db *db, const char *keys, const uint32_t *off, size_t n, uint32_t *lens, vs_buffer *out, char **err);

// vs_delete_range deletes the keys from begin up to end, which is not included; last lies behind all keys before
// end, and before end.
void vs_delete_range(vs_db *db, const char *begin, size_t nb, const char *end, size_t ne, const char *last, size_t nl, char **err);

// vs_scan_begin starts a scan of the keys from begin up to end. vs_scan_next puts the next rows into out
// until it holds max bytes, each as the lengths of key and value (32 bits each) and their bytes; it gives
// the number of rows, 0 at the end.
vs_scan *vs_scan_begin(vs_db *db, const char *begin, size_t nb, const char *end, size_t ne);
size_t vs_scan_next(vs_scan *s, size_t max, vs_buffer *out, char **err);
void vs_scan_end(vs_scan *s);

// vs_number is an integer property of the database, 0 if it has none of that name.
uint64_t vs_number(vs_db *db, const char *property);

#endif
