"""Runs a job file on Apache Spark (pyspark): run_spark.py JOB RUN REPS CORES, with DATA in the environment.

Repetition i uses the folder RUN/i. One JSON line per repetition: wall and CPU
seconds from start() to the end of the query, the JVM being up, its peak RSS, what it wrote to disk and the rows written.
"""
import json
import os
import re
import sys
import time

import yaml
from pyspark.sql import SparkSession

job_file, run, reps, cores = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def load(run_dir):
    values = dict(os.environ, RUN=run_dir, CORES=cores)
    with open(job_file) as f:
        text = re.sub(r"\$\{(\w+)(?::-([^}]*))?\}", lambda m: values.get(m[1], m[2]), f.read())
    return yaml.safe_load(text)


def build(spark, job):
    for name, src in job["sources"].items():
        if src.get("static"):
            table = spark.read.format(src["format"]).schema(src["schema"]).options(**src["options"]).load()
            table.createOrReplaceTempView(name)
            continue
        df = spark.readStream.format(src["format"]).schema(src["schema"])
        df = df.options(**{k: str(v) for k, v in src["options"].items()}).load()
        if "watermark" in src:
            df = df.withWatermark(src["watermark"]["column"], src["watermark"]["delay"])
        df.createOrReplaceTempView(name)
    for name, view in job.get("views", {}).items():
        df = spark.table(view["from"])
        unique = df.dropDuplicatesWithinWatermark if view.get("withinWatermark") else df.dropDuplicates
        unique(view["dropDuplicates"]).createOrReplaceTempView(name)
    (query,) = job["queries"].values()
    out = spark.sql(query["sql"]).writeStream.outputMode(query["outputMode"])
    out = out.format(query["sink"]["format"]).options(**query["sink"].get("options", {}))
    return out.option("checkpointLocation", query["checkpointLocation"]).trigger(availableNow=True)


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_rss_mb(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) // 1024


def written_mb(pid):
    with open(f"/proc/{pid}/io") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("write_bytes")) >> 20


# The default of 1 GB is too little for the joins, and counting the rows of the state,
# which costs a read per write, is what people are advised to turn off.
os.environ["PYSPARK_SUBMIT_ARGS"] = "--driver-memory 8g pyspark-shell"
builder = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
builder = builder.config("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled", "true")
builder = builder.config("spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows", "false")
builder = builder.config("spark.sql.streaming.numRecentProgressUpdates", "1000")
for key, value in load(run).get("conf", {}).items():
    builder = builder.config(key, str(value))
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
pid = int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())
for rep in range(reps):
    writer = build(spark, load(os.path.join(run, str(rep))))
    written, cpu, start = written_mb(pid), cpu_seconds(pid), time.monotonic()
    running = writer.start()
    running.awaitTermination()
    wall = time.monotonic() - start
    rows = sum(json.loads(p.json)["sink"].get("numOutputRows", 0) for p in running.recentProgress)
    sample = {"wall": wall, "cpu": cpu_seconds(pid) - cpu, "rssMB": peak_rss_mb(pid), "writtenMB": written_mb(pid) - written, "rows": rows}
    print(json.dumps(sample), flush=True)
spark.stop()
