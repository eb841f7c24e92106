"""Runs a query on Polars as one batch: run_polars.py QUERY RUN REPS CORES, with DATA in the environment.

As with DuckDB there are no micro-batches and nothing is durable: a ceiling, not a peer. Windows
that the stream leaves open, because its watermark does not pass them, are left out. One JSON line per
repetition: wall and CPU seconds, peak RSS, and the rows of a query without output files, -1 if they are not
those that the stream emits.
"""
import json
import os
import sys
import time
from datetime import timedelta

query, run, reps = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.environ["POLARS_MAX_THREADS"] = sys.argv[4]  # read on import
import polars as pl  # noqa: E402

data = os.environ["DATA"]
c, at = pl.col, pl.col("dateTime")
bids, auctions, persons = (pl.scan_parquet(f"{data}/{t}/*.parquet") for t in ("bids", "auctions", "persons"))
campaigns = pl.scan_parquet(f"{data}/ysb_campaigns/*.parquet")
YSB = ("user_id", "page_id", "ad_id", "ad_type", "event_type", "event_time", "ip_address")


def watermark(*streams):
    """The watermark after the last row: that of the stream which is behind."""
    return min(s.select(e.max()).collect().item() for s, e in streams) - timedelta(seconds=4)


def window(start, name, seconds=10):
    return pl.struct(start.alias("start"), (start + timedelta(seconds=seconds)).alias("end")).alias(name)


def closed(start, streams, seconds=10):
    return start + timedelta(seconds=seconds) <= watermark(*streams)


def start(seconds=10):
    return at.dt.truncate(f"{seconds}s").alias("s")


OF_BIDS = [(bids, at)]


def q4():
    inner = bids.select(start(), "auction", (c("auction") % 5).alias("category"), "price").filter(closed(c("s"), OF_BIDS))
    inner = inner.group_by("s", "auction", "category").agg(c("price").max().alias("mx"))
    outer = inner.group_by("s", "category").agg(c("mx").mean().alias("avg_price"), pl.len().cast(pl.Int64).alias("n"))
    return outer.select(window(c("s"), "w2"), "category", "avg_price", "n")


def q5():
    rows = bids.select(start(2), "auction").group_by("s", "auction").agg(pl.len().cast(pl.Int64).alias("n"))
    slides = pl.concat([rows.with_columns(c("s") - timedelta(seconds=2 * k)) for k in range(5)])
    counts = slides.group_by("s", "auction").agg(c("n").sum()).filter(closed(c("s"), OF_BIDS))
    best = counts.group_by("s").agg(c("n").max(), c("auction").sort_by("n").last())
    return best.select(window(c("s") + timedelta(seconds=8), "w2", 2), "n", "auction")


def q7():
    rows = bids.select(start(), "price").group_by("s").agg(c("price").max().alias("maxprice"), pl.len().cast(pl.Int64).alias("n"))
    return rows.filter(closed(c("s"), OF_BIDS)).select(window(c("s"), "w"), "maxprice", "n")


def q8():
    streams = [(persons, at), (auctions, at)]
    p = persons.select("id", "name", start()).filter(closed(c("s"), streams)).unique()
    a = auctions.select("seller", start()).unique()
    return p.join(a, left_on=["id", "s"], right_on=["seller", "s"]).select("id", "name", c("s").alias("starttime"))


def q11():
    rows = bids.select("bidder", "dateTime").sort("bidder", "dateTime")
    first = (c("bidder") != c("bidder").shift(1)) | (at - at.shift(1) > timedelta(seconds=10))
    rows = rows.with_columns(first.fill_null(True).cum_sum().alias("session")).group_by("session")
    rows = rows.agg(c("bidder").first(), pl.len().cast(pl.Int64).alias("n"), at.min().alias("from"), at.max().alias("to"))
    rows = rows.filter(closed(c("to"), OF_BIDS))
    return rows.select("bidder", "n", pl.struct(c("from").alias("start"), (c("to") + timedelta(seconds=10)).alias("end")).alias("w"))


def q12():
    rows = bids.select("bidder", start()).filter(closed(c("s"), OF_BIDS)).group_by("bidder", "s").agg(pl.len().cast(pl.Int64).alias("n"))
    return rows.select("bidder", "n", window(c("s"), "w"))


def join_ba():
    b = bids.select("auction", "bidder", "price", "dateTime")
    a = auctions.select("id", "seller", "category", at.alias("opened"))
    rows = b.join(a, left_on="auction", right_on="id")
    rows = rows.filter((at >= c("opened") - timedelta(seconds=2)) & (at <= c("opened") + timedelta(seconds=20)))
    return rows.select("auction", "bidder", "price", "seller", "category", "dateTime")


def ysb():
    events = pl.scan_ndjson(f"{data}/ysb/*.json", schema={k: pl.String for k in YSB})
    time_of = c("event_time").str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_unit="us", time_zone="UTC")
    views = events.filter(c("event_type") == "view").join(campaigns, left_on="ad_id", right_on="c_ad_id")
    rows = views.select("campaign_id", time_of.dt.truncate("10s").alias("s")).filter(closed(c("s"), [(events, time_of)]))
    rows = rows.group_by("campaign_id", "s").agg(pl.len().cast(pl.Int64).alias("n"))
    return rows.select("campaign_id", "n", window(c("s"), "w"))


def grouped(key):
    return bids.group_by(key).agg(pl.len(), c("price").sum().alias("s"), c("price").max().alias("m"))


QUERIES = {
    "q0": lambda: bids.select("auction", "bidder", "price", "dateTime", "extra"),
    "q1": lambda: bids.select("auction", "bidder", c("price").cast(pl.Decimal(20, 0)) * pl.lit("0.908").cast(pl.Decimal(4, 3)), "dateTime", "extra"),
    "q2": lambda: bids.filter(c("auction") % 123 == 0).select("auction", "price"),
    "q3": lambda: auctions.filter(c("category") == 10).join(
        persons.filter(c("state").is_in(["OR", "ID", "CA"])), left_on="seller", right_on="id").select("name", "city", "state", "id"),
    "q4": q4, "q5": q5, "q7": q7, "q8": q8, "q11": q11, "q12": q12,
    "dedup": lambda: bids.select("bid_id", "auction", "bidder", "price", "dateTime").unique("bid_id", keep="any"),
    "join_ba": join_ba, "ysb": ysb,
    "gb_k1m": lambda: grouped("k1m"), "gb_k5m": lambda: grouped("k5m"),
}
NO_FILES = {"q0", "q1", "dedup", "join_ba", "gb_k1m", "gb_k5m"}
UPDATES = {"gb_k1m", "gb_k5m"}  # the stream emits each group in every micro-batch that changes it


def peak_rss_mb():
    # Unlike getrusage's, it does not begin with that of the process which started this one.
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) // 1024


for rep in range(reps):
    out = os.path.join(run, str(rep), "out")
    os.makedirs(out, exist_ok=True)
    rows = 0
    cpu, began = time.process_time(), time.monotonic()
    if query in NO_FILES:
        rows = QUERIES[query]().collect(engine="streaming").height
    else:
        QUERIES[query]().sink_parquet(f"{out}/result.parquet", compression="snappy", engine="streaming")
    wall = time.monotonic() - began
    if query in UPDATES:
        rows = -1
    print(json.dumps({"wall": wall, "cpu": time.process_time() - cpu, "rssMB": peak_rss_mb(), "rows": rows}), flush=True)
