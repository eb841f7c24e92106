"""Runs a job file on Apache Spark (pyspark): run_spark.py JOB RUN REPS CORES, with DATA in the environment.

Repetition i uses the folder RUN/i. One JSON line per repetition: wall and CPU
seconds from start() to the end of the query, the JVM being up, and its peak RSS.
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
        df = spark.readStream.format(src["format"]).schema(src["schema"])
        df = df.options(**{k: str(v) for k, v in src["options"].items()}).load()
        if "watermark" in src:
            df = df.withWatermark(src["watermark"]["column"], src["watermark"]["delay"])
        df.createOrReplaceTempView(name)
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


builder = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
builder = builder.config("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled", "true")
for key, value in load(run).get("conf", {}).items():
    builder = builder.config(key, str(value))
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
pid = int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())
for rep in range(reps):
    writer = build(spark, load(os.path.join(run, str(rep))))
    cpu, start = cpu_seconds(pid), time.monotonic()
    writer.start().awaitTermination()
    wall = time.monotonic() - start
    print(json.dumps({"wall": wall, "cpu": cpu_seconds(pid) - cpu, "rssMB": peak_rss_mb(pid)}), flush=True)
spark.stop()
