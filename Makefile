# The two commands of the README are demo and test; the rest is for contributors.
GO ?= go
BIN := bin/vstream
# Builds do not depend on where the repository lies, so that clones share a build cache.
export GOFLAGS += -trimpath

.PHONY: demo test build unit race lint conformance bench fuzz clean

demo: build
	$(BIN) run examples/flights/job.yaml --show 24

build:
	$(GO) build -o $(BIN) ./cmd/vstream

test: lint unit race conformance

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'run gofmt -w on these files'; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

unit:
	$(GO) test ./...

# The packages in which goroutines share something. The tests that kill a process find
# nothing here that they do not find in unit, and take minutes under the detector.
race:
	$(GO) test -race -short -skip 'Killed|EveryStoreCall' . ./exec/... ./join ./dedup ./statestore/... ./sink/... ./source/...

conformance: build
	$(BIN) test conformance/scenarios

bench: build
	$(GO) run ./bench/compare

clean:
	rm -rf bin examples/*/out
