"""Runs a query on DuckDB as one batch: run_duckdb.py QUERY RUN REPS CORES, with DATA in the environment.

There are no micro-batches and nothing is durable: a ceiling, not a peer. Windows
that the stream leaves open, because its watermark does not pass them, are left out.
One JSON line per repetition: wall and CPU seconds, peak RSS, and the rows of a query
without output files, -1 if they are not those that the stream emits.
"""
import json
import os
import sys
import time

import duckdb

query, run, reps, cores = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
data = os.environ["DATA"]


def bucket(column, seconds=10):
    return f"time_bucket(INTERVAL {seconds} SECONDS, {column})"


def window(start, seconds=10):
    return f'struct_pack(start := {start}, "end" := {start} + INTERVAL {seconds} SECONDS)'


def watermark(*columns):
    """The watermark after the last row: that of the stream which is behind."""
    each = ", ".join(f"(SELECT max({c}) FROM {t})" for t, c in columns)
    return f"(least({each}) - INTERVAL 4 SECONDS)"


def closed(start, seconds=10, wm=watermark(("bids", "dateTime"))):
    return f"{start} + INTERVAL {seconds} SECONDS <= {wm}"


START = bucket("dateTime")
Q8_CLOSED = closed(START, wm=watermark(("persons", "dateTime"), ("auctions", "dateTime")))
QUERIES = {
    "q0": "SELECT auction, bidder, price, dateTime, extra FROM bids",
    "q1": "SELECT auction, bidder, 0.908 * price AS price, dateTime, extra FROM bids",
    "q2": "SELECT auction, price FROM bids WHERE auction % 123 = 0",
    "q3": """SELECT p.name, p.city, p.state, a.id FROM auctions a JOIN persons p ON a.seller = p.id
             WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA')""",
    "q4": f"""SELECT {window("s")} AS w2, category, avg(mx) AS avg_price, count(*) AS n
              FROM (SELECT {START} AS s, auction, auction % 5 AS category, max(price) AS mx FROM bids
                    WHERE {closed(START)} GROUP BY ALL) GROUP BY s, category""",
    "q5": f"""SELECT {window("s + INTERVAL 8 SECONDS", 2)} AS w2, max(n) AS n, max_by(auction, n) AS auction
              FROM (SELECT {bucket("dateTime", 2)} - INTERVAL (k * 2) SECOND AS s, auction, count(*) AS n
                    FROM bids, range(5) t(k) GROUP BY ALL)
              WHERE {closed("s")} GROUP BY s""",
    "q7": f"SELECT {window(START)} AS w, max(price) AS maxprice, count(*) AS n FROM bids WHERE {closed(START)} GROUP BY {START}",
    "q8": f"""SELECT p.id, p.name, p.s AS starttime
              FROM (SELECT DISTINCT id, name, {START} AS s FROM persons WHERE {Q8_CLOSED}) p
              JOIN (SELECT DISTINCT seller, {START} AS s FROM auctions WHERE {Q8_CLOSED}) a ON p.id = a.seller AND p.s = a.s""",
    "q11": f"""SELECT bidder, count(*) AS n,
                 struct_pack(start := min(dateTime), "end" := max(dateTime) + INTERVAL 10 SECONDS) AS w
               FROM (SELECT bidder, dateTime, count(*) FILTER (gap) OVER (PARTITION BY bidder ORDER BY dateTime ROWS UNBOUNDED PRECEDING) AS s
                     FROM (SELECT bidder, dateTime, dateTime - lag(dateTime) OVER (PARTITION BY bidder ORDER BY dateTime)
                                  > INTERVAL 10 SECONDS AS gap FROM bids))
               GROUP BY bidder, s HAVING {closed("max(dateTime)")}""",
    "q12": f"SELECT bidder, count(*) AS n, {window(START)} AS w FROM bids WHERE {closed(START)} GROUP BY bidder, {START}",
    "dedup": "SELECT bid_id, first(auction), first(bidder), first(price), first(dateTime) FROM bids GROUP BY bid_id",
    "join_ba": """SELECT b.auction, b.bidder, b.price, a.seller, a.category, b.dateTime FROM bids b JOIN auctions a
                  ON b.auction = a.id AND b.dateTime >= a.dateTime - INTERVAL 2 SECONDS
                  AND b.dateTime <= a.dateTime + INTERVAL 20 SECONDS""",
    "ysb": f"""SELECT campaign_id, count(*) AS n, {window("s")} AS w
               FROM (SELECT campaign_id, {bucket("event_time")} AS s FROM ysb JOIN campaigns ON ad_id = c_ad_id WHERE event_type = 'view')
               WHERE {closed("s", wm=watermark(("ysb", "event_time")))} GROUP BY campaign_id, s""",
    "gb_k1m": "SELECT k1m, count(*) AS n, sum(price) AS s, max(price) AS m FROM bids GROUP BY k1m",
    "gb_k5m": "SELECT k5m, count(*) AS n, sum(price) AS s, max(price) AS m FROM bids GROUP BY k5m",
}
NO_FILES = {"q0", "q1", "dedup", "join_ba", "gb_k1m", "gb_k5m"}
UPDATES = {"gb_k1m", "gb_k5m"}  # the stream emits each group in every micro-batch that changes it
YSB = ("user_id", "page_id", "ad_id", "ad_type", "event_type", "ip_address")


def views(db):
    for table in ("bids", "auctions", "persons"):
        db.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{data}/{table}/*.parquet')")
    db.execute(f"CREATE VIEW campaigns AS SELECT * FROM read_parquet('{data}/ysb_campaigns/*.parquet')")
    columns = ", ".join([f"{c}: 'VARCHAR'" for c in YSB] + ["event_time: 'TIMESTAMPTZ'"])
    db.execute(f"CREATE VIEW ysb AS SELECT * FROM read_json('{data}/ysb/*.json', format = 'newline_delimited', columns = {{{columns}}})")


def peak_rss_mb():
    # Unlike getrusage's, it does not begin with that of the process which started this one.
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) // 1024


for rep in range(reps):
    out = os.path.join(run, str(rep), "out")
    os.makedirs(out, exist_ok=True)
    db = duckdb.connect()
    db.execute(f"SET threads = {cores}; SET TimeZone = 'UTC'; SET preserve_insertion_order = false")
    rows = 0
    cpu, start = time.process_time(), time.monotonic()
    views(db)
    if query in NO_FILES:
        result = db.execute(QUERIES[query])
        # Newer versions have another name for it.
        read = getattr(result, "to_arrow_reader", None) or result.fetch_record_batch
        for batch in read(131072):
            rows += batch.num_rows
    else:
        db.execute(f"COPY ({QUERIES[query]}) TO '{out}/result.parquet' (FORMAT parquet, COMPRESSION snappy)")
    wall = time.monotonic() - start
    if query in UPDATES:
        rows = -1
    print(json.dumps({"wall": wall, "cpu": time.process_time() - cpu, "rssMB": peak_rss_mb(), "rows": rows}), flush=True)
