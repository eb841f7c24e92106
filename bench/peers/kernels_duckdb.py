"""Times expressions on DuckDB: kernels_duckdb.py FILE ROWS REPS EXPRESSIONS.

EXPRESSIONS is a JSON list of SQL texts over the columns of the Parquet file FILE.
Prints a JSON list: nanoseconds per row that the projection takes with one thread,
from DuckDB's profile, the fastest of REPS runs. The times of the scan and of the
aggregate that consumes the values do not count.
"""
import json
import os
import sys
import tempfile

import duckdb

file, rows, reps, texts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
db = duckdb.connect()
db.execute("SET threads = 1; SET TimeZone = 'UTC'")
db.execute(f"CREATE TEMP TABLE t AS SELECT * FROM read_parquet('{file}')")
profile = tempfile.mktemp(suffix=".json")
db.execute("SET enable_profiling = 'json'")
db.execute(f"SET profiling_output = '{profile}'")


def projections(nodes):
    return sum((n["timing"] if n["type"] == "PROJECTION" else 0) + projections(n.get("children", [])) for n in nodes)


out = []
for text in texts:
    best = float("inf")
    for _ in range(reps):
        db.execute(f"SELECT first(x) FROM (SELECT {text} AS x FROM t)").fetchall()
        with open(profile) as f:
            best = min(best, projections(json.load(f)["operator"]))
    out.append(best * 1e9 / rows)
os.remove(profile)
print(json.dumps(out))
