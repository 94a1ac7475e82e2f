#!/usr/bin/env bash
# Measures benchmarks of the kernels and of other libraries in turns, and writes bench/results/NAME.txt:
#
#	bench/peers/measure.sh NAME OPERATION,... [ROUNDS [SECONDS [THREADS ...]]]
#
# from the root of the repository, on Linux and amd64. In each round the programs take turns, operation by operation, and run
# each contender for that time, on the last processors, as many as there are threads; then again with the next number of
# threads. Programs: package bench, the libraries in Go and OpenBLAS, OpenBLAS with OPENBLAS_CORETYPE=Haswell, PyTorch with its
# own choice and with ATEN_CPU_CAPABILITY=avx512. What is not there is left out:
#
#	apt-get install gcc libopenblas-dev libopenblas0-openmp python3-torch
#
# SOFTSEARCH_TEST=full takes all sizes.
set -euo pipefail
name=$1 operations=$2 rounds=${3:-11} seconds=${4:-0.04} threads=1
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
tags=""
[ ! -e /usr/include/x86_64-linux-gnu/cblas.h ] || tags="-tags=openblas"
go test -c -o "$programs/bench" ./bench
go test -c $tags -o "$programs/peers" ./bench/peers
export OPENBLAS_NUM_THREADS=1
last=$(($(nproc) - 1))
pin() { GOMAXPROCS=$threads OMP_NUM_THREADS=$threads taskset -c $((last - threads + 1))-$last "$@"; }

run() { # pattern of contenders, a test binary and more flags
	pin "${@:2}" -test.run '^$' -test.bench "^Benchmark$operation\$/$1" -test.benchtime "${seconds}s" -test.timeout 0 | grep ^Benchmark | grep -v "threads=[^$threads]" || true
}
# Threads of another OpenBLAS than that of OpenMP wait for those of PyTorch.
torch() { LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/openblas-openmp pin /usr/bin/python3 bench/peers/torch_peers.py "$operation" "$threads" "$seconds" 2>/dev/null || true; }
caches() { for i in /sys/devices/system/cpu/cpu0/cache/index*; do grep -q Instruction $i/type || echo "L$(cat $i/level) $(cat $i/size)"; done | paste -sd , | sed 's/,/, /g'; }
{
	echo "date: $(date -u +%F)"
	echo "cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
	echo "caches: $(caches)"
	echo "cpus: $(nproc)"
	echo "os: Linux $(uname -r | grep -o '^[0-9]*\.[0-9]*'), $(. /etc/os-release && echo "$PRETTY_NAME")"
	echo "go: $(go env GOVERSION)"
	echo "command: bench/peers/measure.sh $*"
	echo "ghz: $(pin "$programs/peers" -test.run '^$' -test.bench Clock -test.benchtime 3ms -test.count 50 | sed -n 's/.* \([0-9.]*\) GHz.*/\1/p' | sort -n | tail -n 1)"
	go list -m -f '{{.Path}} {{.Version}}' gonum.org/v1/gonum github.com/viterin/vek github.com/tphakala/simd github.com/nlpodyssey/spago |
		sed 's|.*/\(.*\) |\1: |; s/^simd:/tphakala:/'
	/usr/bin/python3 -c 'import torch; print("torch:", torch.__version__)' 2>/dev/null || true
	[ -z "$tags" ] || echo "openblas: $("$programs/peers" -test.run Config -test.v | sed -n 's/.*\(OpenBLAS [0-9.]*\).*/\1/p')"
	for threads in "${@:5}" $([ $# -gt 4 ] || echo 1); do
		for ((round = 1; round <= rounds; round++)); do
			echo "round $round of $rounds, $threads threads" >&2
			for operation in ${operations//,/ }; do
				run '^impl=(avx512|avxvnni|avx2|naive)$' "$programs/bench"
				run . "$programs/peers"
				[ -z "$tags" ] || OPENBLAS_CORETYPE=Haswell run '^impl=openblas-haswell' "$programs/peers"
				torch
				! grep -q avx512f /proc/cpuinfo || ATEN_CPU_CAPABILITY=avx512 torch | grep torch-avx512 || true
			done
		done
	done
} >"$programs/results"
cp "$programs/results" "bench/results/$name.txt"
