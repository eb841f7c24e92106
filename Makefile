# The two commands of the README are demo and test; the rest is for contributors.
GO ?= go
BIN := bin/vstream
# Builds do not depend on where the repository lies, so that clones share a build cache.
export GOFLAGS += -trimpath

# The state store "rocksdb" is built in where RocksDB's header is. This is asked anew for each
# command, as deps may have put it there.
TAGS = $(shell echo '\#include <rocksdb/c.h>' | $${CC:-cc} -E -xc - >/dev/null 2>&1 && echo -tags rocksdb)

.PHONY: demo test deps build unit race lint conformance instructions bench bench-peers fuzz clean

demo: build
	$(BIN) run examples/flights/job.yaml --show 24

# Tries to install RocksDB; without it everything works but state that outgrows memory.
deps:
	@.ci/deps rocksdb

build: deps
	$(GO) build $(TAGS) -o $(BIN) ./cmd/vstream

test: lint unit race conformance instructions fuzz

lint: deps
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'run gofmt -w on these files'; exit 1; }
	$(GO) vet $(TAGS) ./...
	$(GO) tool staticcheck $(TAGS) ./...

unit: deps
	$(GO) test $(TAGS) ./...

# The packages in which goroutines share something. The tests that end a process or cut it
# short find nothing here that they do not find in unit, and take minutes under the detector.
race: deps
	$(GO) test $(TAGS) -race -short -skip 'Killed|EveryStoreCall|Repartition' . ./exec/... ./join ./dedup ./statestore/... ./sink/... ./source/...

# With RocksDB, once more with a budget that makes state spill.
conformance: build
	$(BIN) test conformance/scenarios
	$(BIN) test conformance/expressions
	$(if $(TAGS),$(BIN) test conformance/scenarios --conf vstream.state.memoryBudget=64KB)

# vstream alone, against the committed figures; both are multiples of a piece of work that
# is timed beside each workload, so that another machine's figures can be compared.
bench: deps
	$(GO) run $(TAGS) ./bench/compare -engines vstream -events 2000000 -n 3 -baseline bench/baseline.json

# Installs the peers and writes bench/RESULTS.md; half an hour or more.
PEERS := bin/peers
bench-peers: deps
	test -x $(PEERS)/bin/python || python3 -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet pyspark==4.3.0 pyyaml duckdb polars pyarrow
	PEERS_PYTHON=$(PEERS)/bin/python $(GO) run $(TAGS) ./bench/compare -events 10000000 -n 3 -out bench/RESULTS.md

# Instructions per row of hot paths against the committed counts; needs Valgrind.
instructions:
	@.ci/deps valgrind
	@! command -v valgrind >/dev/null || $(GO) run ./bench/instructions

# Fuzz targets, each for FUZZTIME: a few seconds in CI, longer by hand.
FUZZTIME ?= 8s
FUZZ := sql:FuzzParse plan:FuzzQuery plan:FuzzTypes format/json:FuzzReader format/csv:FuzzReader kernels:FuzzCastString internal/javatime:FuzzParse

fuzz:
	@set -e; for f in $(FUZZ); do \
		echo "$$f"; $(GO) test ./$${f%:*} -run '^$$' -fuzz "^$${f#*:}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x -parallel 2; \
	done

clean:
	rm -rf bin examples/*/out
