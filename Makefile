# Every target is one idea; `make` lists them. CI runs `make check`.

MODULES     = ./... ./gen/... ./model/cmd/... ./bench/paper/...
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.0
FUZZTIME    = 10000x
PORTABLE    = Gemv/rows=(256|1000|3000)/cols=(256|1000)|Gemm/batch=80/rows=768|Tanh|Sigmoid|Exp|Softmax/n=30000
MACHINES    = bits-386 bits-arm64 bits-loong64 bits-ppc64le bits-riscv64 bits-s390x bits-wasm
CHECKS      = format generated vet lint arm64 race bench-once fuzz emulated peers purego bits install-test $(filter-out bits-arm64,$(MACHINES))

.DELETE_ON_ERROR:
.PHONY: help demo test generate check checks tidy release-prepare release tables breakdown paper bench bits-all bits-arm64 $(CHECKS)

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 17

demo: ## train on the built-in corpus and translate
	go run ./model/cmd/rnnsearch demo

test: ## all tests
	go test $(MODULES)

generate: ## rewrite the assembly in asm
	go generate ./...

check: test $(CHECKS) ## everything that CI runs

checks: ## the names of the checks beside the tests
	@echo $(CHECKS)

format: ## fail if gofmt would change a file
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt: $$files"; exit 1; }

vet: ## go vet for every architecture, with and without assembly
	go vet $(MODULES)
	for arch in 386 arm64 loong64 ppc64le riscv64 s390x; do GOARCH=$$arch go vet ./... || exit 1; done
	go vet -tags purego ./...
	go vet -tags noasm ./...
	GOOS=windows go vet ./...
	GOOS=darwin GOARCH=arm64 go vet ./...

lint: ## staticcheck
	go run $(STATICCHECK) $(MODULES)

generated: ## fail if asm differs from what the generators write
	go generate ./...
	git diff --exit-code -- asm README.md

purego: ## tests without assembly
	go test -short -tags purego ./kernels ./rnn ./attention ./model/...

# The processor itself runs all tests with the same code. What it cannot show is that AVX2 needs
# nothing of AVX-512, and that a processor without AVX2 gets portable Go.
emulated: ## tests on emulated processors with and without AVX2
	SOFTSEARCH_REQUIRE=avx2 go test -short -run 'Bits|Zero|Decay|Available|Require|Best' -skip Team -exec 'qemu-x86_64 -cpu Haswell' ./kernels
	go test -short -run 'Oracle|TrainingSameBits|TranslateSameBits|MachinesFile' -exec 'qemu-x86_64 -cpu Haswell' ./model
	SOFTSEARCH_REQUIRE=go go test -short -run 'Available|Require|Best|Oracle|MachinesFile' -exec 'qemu-x86_64 -cpu qemu64' ./kernels ./model

# With SOFTSEARCH_REQUIRE=avx2, say, it fails where that implementation is missing.
bits: ## the hash of a training run, on every implementation of this processor
	go test -v -run 'TestMachines|TestRequired$$' ./kernels ./model/...

bits-all: bits $(MACHINES) ## the hash on emulated processors, too: bits-386, bits-s390x, bits-wasm and so on

# An amd64 processor runs 386 itself.
$(MACHINES): GOOS = linux
$(MACHINES): EMULATOR = qemu-$*
bits-386: EMULATOR = env
bits-arm64: EMULATOR = qemu-aarch64
bits-loong64: EMULATOR = qemu-loongarch64
bits-wasm: EMULATOR = $$(go env GOROOT)/lib/wasm/go_js_wasm_exec
bits-wasm: GOOS = js

$(MACHINES): bits-%:
	GOOS=$(GOOS) GOARCH=$* go test -run TestMachines -exec "$(EMULATOR)" ./model/...

arm64: ## tests on an emulated arm64 processor, that of bits-arm64 among them
	SOFTSEARCH_REQUIRE=neon GOARCH=arm64 go test -short -timeout 30m -exec qemu-aarch64 ./kernels ./rnn ./attention ./model/...

race: ## tests of the packages with goroutines under the race detector
	go test -short -race ./... ./model/cmd/rnnsearch

# By their number, since executions that a deadline cuts short fail.
fuzz: ## each fuzz target for FUZZTIME executions
	@for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$package || exit 1; \
		done; \
	done

peers: ## tests of bench/peers with every opponent, and that its tables stand in the README
	go vet -tags openblas ./bench/peers/...
	go run $(STATICCHECK) -tags openblas ./bench/peers/...
	go test ./bench/peers/...
	GOEXPERIMENT=simd go test -tags openblas ./bench/peers/...
	go run ./bench/peers tables -check

# A user's view of the published modules: without the workspace, from a module proxy.
install-test: ## install both modules from the tree as users do, and test the release tool
	go test -count=1 ./.ci/release

# go mod tidy ignores the workspace and would look for the version of the root module that
# model/cmd requires, which need not be published, nor have the packages of this tree.
tidy: ## go mod tidy in every module
	go mod tidy
	for module in .ci/release gen bench/peers bench/paper; do go mod tidy -C $$module || exit 1; done
	go run ./.ci/release tidy

# The steps of a release are in .github/RELEASING.md.
release-prepare: ## make model/cmd require the root module at VERSION, which need not be tagged yet
	go run ./.ci/release prepare $(VERSION)
	go mod tidy -C bench/paper

release: ## check HEAD and tag it as VERSION, with the message in the file MESSAGE or from the editor
	go run ./.ci/release check $(VERSION)
	$(MAKE) format generated test install-test
	go run ./.ci/release tag $(VERSION) $(MESSAGE)

tables: ## measure against every opponent and rewrite the tables of the README
	GOEXPERIMENT=simd go run -tags openblas ./bench/peers measure
	go run ./bench/peers measure -o bench/results/portable.txt -run '$(PORTABLE)' -slice 20ms
	go run ./bench/peers tables

breakdown: ## measure where the time goes and rewrite its table and picture in the README
	go run ./bench/peers breakdown
	go run ./bench/peers tables

paper: ## repeat the paper's experiments on the built-in corpus and rewrite the tables of bench/paper
	go run ./bench/paper run
	go run ./bench/paper page

bench: ## the benchmarks of the README, five times
	go test -run '^$$' -bench . -count 5 -timeout 0 ./bench

bench-once: ## every benchmark once, without those that take minutes
	go test -short -run '^$$' -bench . -benchtime 1x ./bench ./kernels ./model/text/bpe
	results=$$(mktemp) && GOEXPERIMENT=simd go run -tags openblas ./bench/peers measure -rounds 1 -slice 1ms -o $$results && rm $$results
