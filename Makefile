# The two commands of the README are demo and test; the rest is for contributors.
GO ?= go
BIN := bin/vstream

.PHONY: demo test build unit race lint conformance bench fuzz clean

demo: build
	$(BIN) run examples/flights/job.yaml --show 24

build:
	$(GO) build -trimpath -o $(BIN) ./cmd/vstream

test: lint unit race conformance

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'run gofmt -w on these files'; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

unit:
	$(GO) test ./...

# The packages in which goroutines share something.
race:
	$(GO) test -race -short . ./exec/... ./stream/... ./statestore/... ./sink/... ./source/...

conformance: build
	$(BIN) test conformance/scenarios

bench: build
	$(GO) run ./bench/compare

clean:
	rm -rf bin examples/*/out
