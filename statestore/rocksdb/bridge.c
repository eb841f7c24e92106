//go:build rocksdb

#include "bridge.h"

#include <rocksdb/c.h>
#include <stdlib.h>
#include <string.h>

struct vs_db {
  rocksdb_t *db;
  rocksdb_column_family_handle_t *cf;
  rocksdb_options_t *options;
  rocksdb_block_based_table_options_t *table;
  rocksdb_cache_t *cache;
  rocksdb_writeoptions_t *write;
  rocksdb_readoptions_t *read;
  rocksdb_envoptions_t *env;
  rocksdb_ingestexternalfileoptions_t *ingest;
};

struct vs_scan {
  rocksdb_iterator_t *it;
  rocksdb_readoptions_t *read;
  char *end;
};

vs_db *vs_open(const char *path, size_t cache, size_t write_buffer, int jobs, char **err) {
  vs_db *d = calloc(1, sizeof(*d));
  d->cache = rocksdb_cache_create_lru(cache);
  d->table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache(d->table, d->cache);
  rocksdb_block_based_options_set_filter_policy(d->table, rocksdb_filterpolicy_create_bloom_full(8));
  // Filters and indexes are in the cache, so that its size bounds them too.
  rocksdb_block_based_options_set_cache_index_and_filter_blocks(d->table, 1);
  rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(d->table, 1);
  rocksdb_block_based_options_set_format_version(d->table, 5);

  rocksdb_options_t *o = d->options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(o, 1);
  rocksdb_options_set_block_based_table_factory(o, d->table);
  rocksdb_options_set_compression(o, rocksdb_lz4_compression);
  rocksdb_options_set_write_buffer_size(o, write_buffer);
  rocksdb_options_set_max_write_buffer_number(o, 2);
  rocksdb_options_set_max_background_jobs(o, jobs);
  rocksdb_options_set_level_compaction_dynamic_level_bytes(o, 1);
  rocksdb_options_set_info_log_level(o, 3);
  rocksdb_options_set_keep_log_file_num(o, 1);
  rocksdb_options_set_stats_dump_period_sec(o, 0);

  d->write = rocksdb_writeoptions_create();
  rocksdb_writeoptions_disable_WAL(d->write, 1);
  d->read = rocksdb_readoptions_create();
  rocksdb_readoptions_set_verify_checksums(d->read, 1);
  d->env = rocksdb_envoptions_create();
  d->ingest = rocksdb_ingestexternalfileoptions_create();
  rocksdb_ingestexternalfileoptions_set_move_files(d->ingest, 1);

  const char *name = "default";
  const rocksdb_options_t *opts[1] = {o};
  d->db = rocksdb_open_column_families(o, path, 1, &name, opts, &d->cf, err);
  if (*err) {
    d->db = NULL;
    vs_close(d);
    return NULL;
  }
  return d;
}

void vs_close(vs_db *d) {
  if (d->db) {
    rocksdb_cancel_all_background_work(d->db, 1);
    rocksdb_column_family_handle_destroy(d->cf);
    rocksdb_close(d->db);
  }
  rocksdb_ingestexternalfileoptions_destroy(d->ingest);
  rocksdb_envoptions_destroy(d->env);
  rocksdb_readoptions_destroy(d->read);
  rocksdb_writeoptions_destroy(d->write);
  rocksdb_options_destroy(d->options);
  rocksdb_block_based_options_destroy(d->table);
  rocksdb_cache_destroy(d->cache);
  free(d);
}

void vs_write(vs_db *d, const char *batch, size_t n, char **err) {
  rocksdb_writebatch_t *b = rocksdb_writebatch_create_from(batch, n);
  rocksdb_write(d->db, d->write, b, err);
  rocksdb_writebatch_destroy(b);
}

static uint32_t varint(const unsigned char **p) {
  uint32_t v = 0;
  for (int shift = 0;; shift += 7) {
    uint32_t b = *(*p)++;
    v |= (b & 127) << shift;
    if (b < 128) return v;
  }
}

void vs_ingest(vs_db *d, const char *path, const char *batch, size_t n, char **err) {
  rocksdb_sstfilewriter_t *w = rocksdb_sstfilewriter_create(d->env, d->options);
  rocksdb_sstfilewriter_open(w, path, err);
  const unsigned char *p = (const unsigned char *)batch + 12, *end = (const unsigned char *)batch + n;
  while (!*err && p < end) {
    p++;  // the kind of the record: a put
    uint32_t nk = varint(&p);
    const char *key = (const char *)p;
    p += nk;
    uint32_t nv = varint(&p);
    rocksdb_sstfilewriter_put(w, key, nk, (const char *)p, nv, err);
    p += nv;
  }
  if (!*err) rocksdb_sstfilewriter_finish(w, err);
  rocksdb_sstfilewriter_destroy(w);
  if (!*err) rocksdb_ingest_external_file(d->db, &path, 1, d->ingest, err);
}

// room makes room for n more bytes; 0 if there is no memory.
static int room(vs_buffer *b, size_t n) {
  if (b->len + n <= b->cap) return 1;
  size_t cap = b->cap ? b->cap : 4096;
  while (cap < b->len + n) cap *= 2;
  char *p = realloc(b->data, cap);
  if (!p) return 0;
  b->data = p;
  b->cap = cap;
  return 1;
}

enum { GET = 512 };

void vs_get(vs_db *d, const char *keys, const uint32_t *off, size_t n, uint32_t *lens, vs_buffer *out, char **err) {
  const char *key[GET];
  size_t size[GET];
  rocksdb_pinnableslice_t *value[GET];
  char *errs[GET];
  out->len = 0;
  for (size_t lo = 0; lo < n && !*err; lo += GET) {
    size_t m = n - lo < GET ? n - lo : GET;
    for (size_t i = 0; i < m; i++) {
      key[i] = keys + off[lo + i];
      size[i] = off[lo + i + 1] - off[lo + i];
      value[i] = NULL;
      errs[i] = NULL;
    }
    rocksdb_batched_multi_get_cf(d->db, d->read, d->cf, m, key, size, value, errs, 1);
    for (size_t i = 0; i < m; i++) {
      lens[lo + i] = UINT32_MAX;
      if (errs[i]) {
        if (*err)
          free(errs[i]);
        else
          *err = errs[i];
      }
      if (!value[i]) continue;
      size_t nv;
      const char *v = rocksdb_pinnableslice_value(value[i], &nv);
      if (room(out, nv)) {
        memcpy(out->data + out->len, v, nv);
        out->len += nv;
        lens[lo + i] = (uint32_t)nv;
      } else if (!*err) {
        *err = strdup("out of memory");
      }
      rocksdb_pinnableslice_destroy(value[i]);
    }
  }
}

void vs_delete_range(vs_db *d, const char *begin, size_t nb, const char *end, size_t ne, const char *last, size_t nl, char **err) {
  rocksdb_delete_range_cf(d->db, d->write, d->cf, begin, nb, end, ne, err);
  // Whole files in the range go at once; here the end is included.
  if (!*err) rocksdb_delete_file_in_range_cf(d->db, d->cf, begin, nb, last, nl, err);
}

vs_scan *vs_scan_begin(vs_db *d, const char *begin, size_t nb, const char *end, size_t ne) {
  vs_scan *s = calloc(1, sizeof(*s));
  s->end = malloc(ne);
  memcpy(s->end, end, ne);
  s->read = rocksdb_readoptions_create();
  rocksdb_readoptions_set_iterate_upper_bound(s->read, s->end, ne);
  rocksdb_readoptions_set_fill_cache(s->read, 0);
  rocksdb_readoptions_set_verify_checksums(s->read, 1);
  s->it = rocksdb_create_iterator_cf(d->db, s->read, d->cf);
  rocksdb_iter_seek(s->it, begin, nb);
  return s;
}

size_t vs_scan_next(vs_scan *s, size_t max, vs_buffer *out, char **err) {
  size_t rows = 0;
  out->len = 0;
  for (; out->len < max && rocksdb_iter_valid(s->it); rocksdb_iter_next(s->it)) {
    size_t nk, nv;
    const char *k = rocksdb_iter_key(s->it, &nk), *v = rocksdb_iter_value(s->it, &nv);
    if (!room(out, 8 + nk + nv)) {
      *err = strdup("out of memory");
      return 0;
    }
    uint32_t head[2] = {(uint32_t)nk, (uint32_t)nv};
    char *p = out->data + out->len;
    memcpy(p, head, 8);
    memcpy(p + 8, k, nk);
    memcpy(p + 8 + nk, v, nv);
    out->len += 8 + nk + nv;
    rows++;
  }
  if (!rows) rocksdb_iter_get_error(s->it, err);
  return rows;
}

void vs_scan_end(vs_scan *s) {
  rocksdb_iter_destroy(s->it);
  rocksdb_readoptions_destroy(s->read);
  free(s->end);
  free(s);
}

uint64_t vs_number(vs_db *d, const char *property) {
  uint64_t v = 0;
  return rocksdb_property_int_cf(d->db, d->cf, property, &v) ? 0 : v;
}
