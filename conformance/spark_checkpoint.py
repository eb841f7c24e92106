"""Makes the checkpoints of testdata/spark_checkpoint with Apache Spark, and lets Spark go on with a
checkpoint of vstream. Paths are written as {{DIR}}; the test puts its own directory there.

    python spark_checkpoint.py record OUT        runs the queries for some batches
    python spark_checkpoint.py continue DIR      runs the query files (json to json) in DIR on what is new
"""
import json, os, shutil, sys, tempfile, time

from pyspark.sql import SparkSession

SCHEMA = "k STRING, v BIGINT"
BATCHES = 12  # past the first compact files of source and sink


def session(tmp):
    return (SparkSession.builder.master("local[1]").config("spark.driver.memory", "1g")
            .config("spark.ui.enabled", "false").config("spark.sql.warehouse.dir", tmp + "/warehouse")
            .config("spark.sql.session.timeZone", "UTC").config("spark.sql.shuffle.partitions", "2").getOrCreate())


def files_query(spark, dir):
    q = (spark.readStream.format("json").schema(SCHEMA).option("maxFilesPerTrigger", 1).load(dir + "/in")
         .selectExpr("k", "v * 10 AS v").writeStream.format("json").option("path", dir + "/out")
         .option("checkpointLocation", dir + "/checkpoint").trigger(availableNow=True).start())
    q.awaitTermination()
    return [p["batchId"] for p in q.recentProgress]


def rate_query(spark, dir):
    q = (spark.readStream.format("rate").option("rowsPerSecond", 2).load().selectExpr("value").writeStream.format("json")
         .option("path", dir + "/out").option("checkpointLocation", dir + "/checkpoint").start())
    while not q.lastProgress or q.lastProgress["batchId"] < 3:
        time.sleep(0.2)
    q.stop()


def store(from_, to):
    """Copies text files with {{DIR}} for the directory, and without checksums, which no longer fit."""
    for root, _, names in os.walk(from_):
        for name in names:
            if name.endswith(".crc"):
                continue
            path = os.path.join(root, name)
            target = os.path.join(to, os.path.relpath(path, from_))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(path, encoding="utf-8") as f:
                text = f.read().replace(from_, "{{DIR}}")
            with open(target, "w", encoding="utf-8") as f:
                f.write(text)


def record(out):
    tmp = tempfile.mkdtemp(prefix="spark-checkpoint-")
    spark = session(tmp)
    files, rate = tmp + "/files", tmp + "/rate"
    os.makedirs(files + "/in")
    for n in range(BATCHES):
        with open(f"{files}/in/{n:04d}.json", "w", encoding="utf-8") as f:
            f.write(json.dumps({"k": f"k{n}", "v": n}) + "\n")
        os.utime(f"{files}/in/{n:04d}.json", (1700000000 + n, 1700000000 + n))
    print("batches", files_query(spark, files))
    rate_query(spark, rate)
    spark.stop()
    for name in ("files", "rate"):
        shutil.rmtree(os.path.join(out, name), ignore_errors=True)
        store(os.path.join(tmp, name), os.path.join(out, name))
    shutil.rmtree(tmp)


def go_on(dir):
    tmp = tempfile.mkdtemp(prefix="spark-checkpoint-")
    spark = session(tmp)
    print("batches", files_query(spark, dir))
    rows = spark.read.schema(SCHEMA).json(dir + "/out").collect()
    print("rows", sorted((r.k, r.v) for r in rows))
    spark.stop()
    shutil.rmtree(tmp)


if __name__ == "__main__":
    {"record": record, "continue": go_on}[sys.argv[1]](os.path.abspath(sys.argv[2]))
