"""Runs a query on DuckDB as one batch: run_duckdb.py QUERY RUN REPS CORES, with DATA in the environment.

There are no micro-batches and nothing is durable: a ceiling, not a peer. Windows
that the stream leaves open, because its watermark does not pass them, are left out.
One JSON line per repetition: wall and CPU seconds and peak RSS.
"""
import json
import os
import resource
import sys
import time

import duckdb

query, run, reps, cores = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

START = "time_bucket(INTERVAL 10 SECONDS, dateTime)"
WINDOW = f"struct_pack(start := {START}, \"end\" := {START} + INTERVAL 10 SECONDS) AS w"
CLOSED = f"{START} + INTERVAL 10 SECONDS <= (SELECT max(dateTime) - INTERVAL 4 SECONDS FROM bids)"
QUERIES = {
    "q0": "SELECT auction, bidder, price, dateTime, extra FROM bids",
    "q1": "SELECT auction, bidder, 0.908 * price AS price, dateTime, extra FROM bids",
    "q2": "SELECT auction, price FROM bids WHERE auction % 123 = 0",
    "q7": f"SELECT {WINDOW}, max(price) AS maxprice, count(*) AS n FROM bids WHERE {CLOSED} GROUP BY {START}",
    "q12": f"SELECT bidder, count(*) AS n, {WINDOW} FROM bids WHERE {CLOSED} GROUP BY bidder, {START}",
}
NO_OUTPUT = {"q0", "q1"}

for rep in range(reps):
    out = os.path.join(run, str(rep), "out")
    os.makedirs(out, exist_ok=True)
    db = duckdb.connect()
    db.execute(f"SET threads = {cores}; SET TimeZone = 'UTC'; SET preserve_insertion_order = false")
    cpu, start = time.process_time(), time.monotonic()
    db.execute(f"CREATE VIEW bids AS SELECT * FROM read_parquet('{os.environ['DATA']}/bids/*.parquet')")
    if query in NO_OUTPUT:
        result = db.execute(QUERIES[query])
        # Newer versions have another name for it.
        read = getattr(result, "to_arrow_reader", None) or result.fetch_record_batch
        for _ in read(131072):
            pass
    else:
        db.execute(f"COPY ({QUERIES[query]}) TO '{out}/result.parquet' (FORMAT parquet, COMPRESSION snappy)")
    wall = time.monotonic() - start
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"wall": wall, "cpu": time.process_time() - cpu, "rssMB": rss}), flush=True)
