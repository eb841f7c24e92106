"""Prints how many micro-batches per second Spark runs: a JSON object by the interval of asynchronous
progress tracking in ms, -1 for without it. Arguments: seconds for each, rows of a micro-batch, folder."""
import json, shutil, sys, tempfile, time

from pyspark.sql import SparkSession

seconds, rows, folder = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3] or None
spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "2g")
         .config("spark.sql.shuffle.partitions", "2").getOrCreate())
spark.sparkContext.setLogLevel("ERROR")
rates = {}
for warm in (True, False):  # the first round warms the JVM
    for interval in (-1, 1000, 0):
        temp = tempfile.mkdtemp(prefix="spark-async-progress-", dir=folder)
        writer = (spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows).option("numPartitions", 1).load()
                  .selectExpr("value + 1 AS v").where("v % 2 = 0").writeStream.format("noop").option("checkpointLocation", temp + "/checkpoint"))
        if interval >= 0:
            writer = writer.option("asyncProgressTrackingEnabled", "true").option("asyncProgressTrackingCheckpointIntervalMs", interval)
        query = writer.start()
        while not query.lastProgress:
            time.sleep(0.1)
        before, began = query.lastProgress["batchId"], time.time()
        time.sleep(seconds)
        rates[interval] = (query.lastProgress["batchId"] - before) / (time.time() - began)
        query.stop()
        shutil.rmtree(temp, ignore_errors=True)
print(json.dumps(rates))
