"""Times expressions on DuckDB: kernels_duckdb.py FILE ROWS.

Prints DuckDB's version, then for each line of the input, a SQL text over the columns
of the Parquet file FILE, a line with the nanoseconds per row that the projection takes
with one thread, from DuckDB's profile. The times of the scan and of the aggregate that
consumes the values do not count; what the optimiser made of the expression does not
leave the projection: the rule that turns an IN list into a join is off (the join takes
twice as long).
"""
import json
import os
import sys
import tempfile

import duckdb

file, rows = sys.argv[1], int(sys.argv[2])
db = duckdb.connect()
db.execute("SET threads = 1; SET TimeZone = 'UTC'; SET disabled_optimizers = 'in_clause'")
db.execute(f"CREATE TEMP TABLE t AS SELECT * FROM read_parquet('{file}')")
profile = tempfile.mktemp(suffix=".json")
db.execute("SET enable_profiling = 'json'")
db.execute(f"SET profiling_output = '{profile}'")


def projections(nodes):
    return sum((n["timing"] if n["type"] == "PROJECTION" else 0) + projections(n.get("children", [])) for n in nodes)


print(duckdb.__version__, flush=True)
for line in sys.stdin:
    db.execute(f"SELECT first(x) FROM (SELECT {line} AS x FROM t)").fetchall()
    with open(profile) as f:
        print(projections(json.load(f)["operator"]) * 1e9 / rows, flush=True)
os.remove(profile)
