# Run `make` for a list of the targets. CI runs `make check`.

MODULES     = ./model/cmd/... ./... ./gen/...
BROWSER     = ./model/cmd/server/browser
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.0
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.9.0
FUZZTIME    = 5000x
FUZZSLOW    = 300x
# go test without its own vet, because make vet examines every package.
GOTEST      = go test -vet=off
# The packages that multiply or divide floating-point numbers, which compilers could round differently.
NUMERIC     = ./model ./model/score ./model/decode ./model/torch/...
# Matches their tests of whole trainings and translations.
WHOLE       = 'Machines|Oracle'
MACHINES    = bits-386 bits-arm64 bits-loong64 bits-ppc64le bits-riscv64 bits-s390x bits-wasm
CHECKS      = page race bench-once arm64 vet builtin-start fuzz mpi slurm lint peers purego emulated evex $(filter-out bits-arm64,$(MACHINES)) install-test clients vulnerabilities image generated format

# Tests of model read further cases of the oracle where this folder exists.
export ORACLE_DIR ?= $(abspath $(wildcard ../shared/oracle))
# Tests of model/torch run networks that others have trained where this one does.
export FOREIGN_DIR ?= $(abspath $(wildcard ../shared/data/foreign))

.DELETE_ON_ERROR:
.PHONY: help demo release test generate check checks tidy tables screenshots builtin paper bench bits bits-all bits-arm64 $(CHECKS)

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 17

demo: ## train on the built-in corpus and translate
	go run ./model/cmd/rnnsearch demo

RELEASE ?= rnnsearch
release: ## build the command RELEASE with the program of its site inside, which otherwise takes Go
	GOOS=js GOARCH=wasm go build -trimpath -ldflags="-s -w -buildid=" -o model/cmd/site/release/program.wasm ./model/cmd/site/program
	gzip -9nf model/cmd/site/release/program.wasm
	cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" model/cmd/site/release
	go build -trimpath -tags release -o $(RELEASE) ./model/cmd/rnnsearch

test: ## run all tests; SOFTSEARCH_TEST=full adds larger sizes
	$(GOTEST) -timeout 30m $(MODULES)

generate: ## regenerate the assembly in asm and the dispatch in kernels
	go generate ./...

check: export SOFTSEARCH_TEST = full
check: test $(CHECKS) ## run everything that CI runs

checks: ## list the checks other than test, longest first
	@echo $(CHECKS)

format: ## fail if gofmt would change a file
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt: $$files"; exit 1; }

# What differs between processors is assembly (arm64) and a 32-bit int (386); the bits-% checks compile the others.
vet: ## run go vet for every machine whose files differ
	go vet $(MODULES) $(BROWSER)
	GOARCH=arm64 go vet ./kernels ./asm/...
	GOARCH=386 go vet ./kernels
	go vet -tags purego ./kernels ./asm/...
	GOOS=windows go vet ./kernels ./model/internal/... ./model/cmd/internal/models ./model/cmd/internal/files

lint: ## run staticcheck, and fail if a workflow uses an action that is not pinned to a commit
	go run $(STATICCHECK) $(MODULES) $(BROWSER)
	! grep -n 'uses:' .github/workflows/*.yml | grep -Ev 'uses: [^@ ]+@[0-9a-f]{40} # v[0-9.]+$$'

# GOVULNDB is the URL of another database than that of Go.
vulnerabilities: ## fail if code calls what has a known vulnerability; passes with a note without the database
	@folder=$$(mktemp -d) && GOBIN=$$folder go install $(GOVULNCHECK) || exit 1; \
		output=$$($$folder/govulncheck $(GOVULNDB:%=-db %) -test $(MODULES) $(BROWSER) 2>&1); status=$$?; rm -r $$folder; echo "$$output"; \
		case $$status$$output in "1govulncheck: fetching vulnerabilities: "*) echo "not checked: the database cannot be reached" ;; *) exit $$status ;; esac

generated: ## fail if asm or kernels differs from what the generators write
	go generate ./...
	git diff --exit-code -- asm kernels

# With GOAMD64=v3 the compiler fuses a product and a sum unless the code keeps them apart.
purego: export GOAMD64 = v3
purego: ## test without assembly
	$(GOTEST) -tags purego ./kernels ./rnn ./attention
	$(GOTEST) -tags purego -run $(WHOLE) $(NUMERIC)

# Chromium is any of the names that chromedp looks for.
page: export SOFTSEARCH_TEST = full
page: ## test the server's page in Chromium, and the site that answers without a server
	$(GOTEST) $(BROWSER)

# Tests on the processor itself cover all kernels it has. They cannot show that AVX2 kernels run
# without AVX-512, or that a processor without AVX2 falls back to portable Go.
emulated: ## test on emulated processors with and without AVX2
	SOFTSEARCH_REQUIRE=avx2 $(GOTEST) -run 'Bits|Zero|Decay|Available|Require|Best' -skip Team -exec 'qemu-x86_64 -cpu Haswell' ./kernels
	$(GOTEST) -run 'TrainingSameBits|MachinesDecoding' -exec 'qemu-x86_64 -cpu Haswell' ./model ./model/decode
	SOFTSEARCH_REQUIRE=go $(GOTEST) -run 'Available|Require|Best|MachinesFile|MachinesDecoding' -exec 'qemu-x86_64 -cpu qemu64' ./kernels ./model ./model/decode

# Some processors have VPDPBUSD for AVX-512 and no AVX-VNNI. There, with -overlay .evex/overlay.json, the implementation
# avxvnni consists of the same instructions in the encoding of AVX-512. A test of gen disassembles its own encoding.
.evex/overlay.json: asm/avxvnni/int8_amd64.s kernels/isa_amd64.go Makefile
	mkdir -p .evex
	sed 's|^.*// VPDPBUSD.VEX|\tVPDPBUSD|' asm/avxvnni/int8_amd64.s > .evex/int8_amd64.s
	sed 's/cpuid.AVXVNNI)/cpuid.AVX512VL, cpuid.AVX512VNNI)/' kernels/isa_amd64.go > .evex/isa_amd64.go
	echo '{"Replace": {"$(CURDIR)/asm/avxvnni/int8_amd64.s": "$(CURDIR)/.evex/int8_amd64.s", "$(CURDIR)/kernels/isa_amd64.go": "$(CURDIR)/.evex/isa_amd64.go"}}' > $@

evex: .evex/overlay.json ## test avxvnni in the encoding of AVX-512; passes with a note where the processor has no VNNI
	@grep -q avx512_vnni /proc/cpuinfo || { echo "not checked: the processor has no VPDPBUSD for AVX-512"; exit 0; }; \
		SOFTSEARCH_REQUIRE=avxvnni $(GOTEST) -overlay $< -run 'Int8|TestMachines|TestRequired$$' ./kernels ./model ./model/decode

# SOFTSEARCH_REQUIRE=avx2 makes this fail on a processor without AVX2.
bits: ## compare the hash of a training run on every implementation of this processor
	$(GOTEST) -v -run 'TestMachines|TestRequired$$' ./kernels $(NUMERIC)

bits-all: bits $(MACHINES) ## compare the hash on emulated processors, too: bits-386, bits-s390x, bits-wasm ...

$(MACHINES): GOOS = linux
$(MACHINES): EMULATOR = qemu-$*
# Not every kernel for amd64 runs 386 itself. Go's signals that preempt crash under qemu-i386.
bits-386: EMULATOR = env GODEBUG=asyncpreemptoff=1 qemu-i386
bits-arm64: EMULATOR = qemu-aarch64
bits-loong64: EMULATOR = qemu-loongarch64
bits-wasm: EMULATOR = $$(go env GOROOT)/lib/wasm/go_js_wasm_exec
bits-wasm: GOOS = js

$(MACHINES): bits-%:
	GOOS=$(GOOS) GOARCH=$* $(GOTEST) -run TestMachines -exec "$(EMULATOR)" $(NUMERIC)

arm64: export GOARCH = arm64
arm64: export SOFTSEARCH_REQUIRE = neon
# What NEON computes equals portable Go. Other tests compare that with float64 and with definitions.
arm64: ## test on an emulated arm64 processor, which includes bits-arm64
	$(GOTEST) -timeout 30m -skip 'Team|Batch|Gemm|Allocations|Accuracy' -exec qemu-aarch64 ./kernels
	$(GOTEST) -timeout 30m -run 'Bits|Stack$$|Alone|Int8' -exec qemu-aarch64 ./rnn ./attention
	$(GOTEST) -timeout 30m -run $(WHOLE) -exec qemu-aarch64 $(NUMERIC)

# More ranks than processors; MPICC and MPIRUN choose another MPI than the default one.
mpi: ## train on 1, 2 and 4 ranks of MPI, interrupt and kill ranks, and compare the bits with those of one process
	CC=$${MPICC:-mpicc} go vet -tags mpi ./model/cmd/...
	CC=$${MPICC:-mpicc} $(GOTEST) -count=1 -tags mpi -run MPI -v ./model/cmd/internal/training ./model/cmd/rnnsearch

slurm: ## translate a file on a private Slurm cluster of one node
	SOFTSEARCH_REQUIRE_SLURM=1 $(GOTEST) -count=1 -v ./model/cmd/rnnsearch/slurm

# Runs the tests that use several goroutines. What corpus and decode skip needs none, or repeats how others use them. A
# process waits a second before it ends, unless GORACE says otherwise.
race: export GORACE = atexit_sleep_ms=0
race: ## test what goroutines share under the race detector
	$(GOTEST) -race -run 'Team|Concurrent|Parallel' ./kernels
	$(GOTEST) -race -run 'Threads|RanksCheckpoint|RanksTransport|Shared|Special|goroutines|Concurrent' -skip Allocations ./model ./model/text/pipeline
	$(GOTEST) -race -skip 'Machines|Decoding|AsNaive|Exhaustive|NoAllocations|Memory|TermsOnce|JoinEnds|Agrees|Trim|Ranking' ./model/collective ./model/decode ./model/cmd/server
	$(GOTEST) -race -skip 'GuidedAlignment|PairSet|Words' ./model/cmd/internal/corpus ./model/cmd/internal/training ./model/cmd/internal/translation

# A count, because an execution that a deadline interrupts fails. One of a kernel, a model or a pipeline takes
# milliseconds, one of another text microseconds.
fuzz: ## run each fuzz target FUZZTIME times, or FUZZSLOW times in kernels, model, decode and pipeline
	@folder=$$(mktemp -d); trap 'rm -r "$$folder"' EXIT; \
	for package in $$(grep -rl '^func Fuzz' --include='*_test.go' . | xargs dirname | sort -u); do \
		case $$package in */kernels | */model | */decode | */pipeline) count=$(FUZZSLOW) ;; *) count=$(FUZZTIME) ;; esac; \
		$(GOTEST) -c -fuzz . -o $$folder/test $$package || exit 1; \
		for target in $$(sed -n 's/^func \(Fuzz[[:alnum:]]*\).*/\1/p' $$package/*_test.go); do \
			echo $$package $$target; \
			(cd $$package && $$folder/test -test.run '^$$' -test.fuzz "^$$target$$" -test.fuzztime $$count \
				-test.fuzzminimizetime 20x -test.fuzzcachedir $$folder/$$package) || exit 1; \
		done; \
	done

peers: ## compare what other libraries compute, and the tables of documents with the results
	go vet ./bench/peers
	go vet -tags openblas ./bench/peers
	go run $(STATICCHECK) -tags openblas ./bench/peers
	$(GOTEST) -tags openblas ./bench/peers

# The published modules as a user gets them: from a module proxy, without the workspace.
install-test: ## install both modules from a proxy of this tree
	.ci/install-test

clients: ## generate clients of the server in Go and TypeScript, and run them; passes with a note without the generators
	.ci/clients

image: ## build the image of the server and wait until it is healthy; passes with a note without Docker
	@docker info >/dev/null 2>&1 || { echo "not built: no Docker"; exit 0; }; \
		docker build -f model/cmd/server/Dockerfile -t rnnsearch . && \
		id=$$(docker run -d --read-only --cap-drop ALL --health-interval 1s -v $(CURDIR)/model/decode/testdata:/models:ro \
			-e RNNSEARCH_MODEL=en-fr=/models/en-fr.safetensors rnnsearch) || exit 1; \
		timeout 60 sh -c "until docker inspect -f '{{.State.Health.Status}}' $$id | grep -x healthy; do sleep 1; done"; status=$$?; \
		docker logs $$id; docker rm -f $$id; exit $$status

# go mod tidy ignores the workspace, and model/cmd has no replace directive of its own, which go install refuses.
tidy: ## run go mod tidy in every module
	go mod edit -C model/cmd -replace=github.com/softsearch-go/softsearch=../..
	for module in . gen bench/peers model/cmd model/cmd/server/browser; do go mod tidy -C $$module || exit 1; done
	go mod edit -C model/cmd -dropreplace=github.com/softsearch-go/softsearch

tables: export SOFTSEARCH_TEST = full
tables: ## measure everything and update the tables of README.md, bench/README.md and bench/results
	bench/peers/measure.sh peers Gemv,Gemm,GemmInput,GemmGrad,Tanh,Sigmoid,Exp,Softmax
	bench/peers/measure.sh layer Layer
	bench/peers/measure.sh step DecoderStep
	bench/peers/measure.sh update TrainingUpdate 7 0.04 1 2
	go test -run '^$$' -bench '^Benchmark(GRU|DecoderStep|TrainingUpdate)$$/^impl=(avx|naive)' -benchtime 0.3s -count 3 -timeout 0 ./bench > bench/results/model.txt
	go test -run '^$$' -bench '^BenchmarkTranslate$$' -benchtime 0.5s -count 3 -timeout 0 ./bench > bench/results/translate.txt
	go run ./bench/peers

screenshots: ## take the pictures of the server's page in bench/results, with Chromium
	go test ./model/cmd/server/browser -count 1 -run Screenshots -args -screenshots $(CURDIR)/bench/results

# CORPORA has the files of model/cmd/builtin/corpora.sha256.
CORPORA ?= ../shared/data
BUILTIN = .builtin
builtin: ## train the built-in models again, in three hours each on a Zen 5, and compare them
	mkdir -p $(BUILTIN)/bin && go build -o $(BUILTIN)/bin ./model/cmd/rnnsearch ./model/cmd/builtin/text
	export PATH=$(CURDIR)/$(BUILTIN)/bin:$$PATH; for pair in "en fr" "fr en"; do \
	  model/cmd/builtin/train.sh $(CORPORA) $(BUILTIN) $$pair || exit 1; done
	cmp $(BUILTIN)/int8/en-fr.safetensors model/cmd/builtin/en-fr.safetensors
	cmp $(BUILTIN)/int8/fr-en.safetensors model/cmd/builtin/fr-en.safetensors

builtin-start: ## compare the first updates of a built-in model on the fastest implementation; passes with a note without the corpora
	@test -d $(CORPORA)/tatoeba || { echo "not checked: $(CORPORA) has no corpora"; exit 0; }; model/cmd/builtin/start.sh $(CORPORA) $$(grep -qw avx512dq /proc/cpuinfo && echo avx512 || echo avx2)

paper: ## repeat the paper's experiments on the built-in corpus and update the tables of bench/paper
	bench/paper/run.sh builtin "encdec-20 search-20 encdec-50 search-50"
	go run ./bench/paper

bench: export SOFTSEARCH_TEST = full
bench: ## run the benchmarks of package bench five times
	go test -run '^$$' -bench . -count 5 -timeout 0 ./bench

bench-once: ## run every benchmark once, without the largest sizes
	$(GOTEST) -run '^$$' -bench . -benchtime 1x -skip 'Update/impl=naive' ./bench
	$(GOTEST) -tags openblas -run '^$$' -bench . -benchtime 1x ./bench/peers
	$(GOTEST) -run '^$$' -bench . -benchtime 1x ./model/cmd/internal/markup
