#!/usr/bin/env bash
# Compares the first updates of the model en-fr with start.sha256: start.sh CORPORA [MACHINE...]. The machines are
# avx512, avx2, go, and GOARCHes, emulated where need be; the first three unless some are given. The first two take full
# batches, the others small ones. One whose kernels the processor lacks is named and left out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
corpora=$(cd "$1" && pwd)
shift
machines=${*:-avx512 avx2 go}

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir "$work/bin"
export PATH=$work/bin:$PATH
go build -o "$work/bin" "$here/text"
head -n 1 "$corpora/tatoeba/val.en" > "$work/one.en"
head -n 1 "$corpora/tatoeba/val.fr" > "$work/one.fr"

# first MACHINE BATCH FLAG... trains the model on a machine.
first() {
	local folder=$work/$1 batch=$2
	shift 2
	mkdir -p "$folder/$batch" "$work/text"
	ln -sfn "$work/text" "$folder/$batch/text"
	"$here/train.sh" "$corpora" "$folder/$batch" en fr --valid-updates 0 "$@" \
		--valid-source "$work/one.en" --valid-target "$work/one.fr" 2> "$folder/errors" || { cat "$folder/errors"; exit 1; }
	(cd "$folder" && sha256sum "$batch"/*.safetensors && grep "  $batch/" "$here/start.sha256" | sha256sum --quiet --check)
}

for machine in $machines; do
	arch=amd64 emulator=
	case $machine in
	avx512 | avx2 | go) export SOFTSEARCH_ISA=$machine ;;
	386) arch=$machine emulator='env GODEBUG=asyncpreemptoff=1 qemu-i386' ;;
	arm64) arch=$machine emulator=qemu-aarch64 ;;
	*) arch=$machine emulator=qemu-$machine ;;
	esac
	GOARCH=$arch go build -o "$work/bin/rnnsearch-$arch" "$here/../rnnsearch"
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$emulator" "$work/bin/rnnsearch-$arch" > "$work/bin/rnnsearch"
	chmod +x "$work/bin/rnnsearch"
	echo "$machine"
	case $machine in avx512 | avx2)
		"$work/bin/rnnsearch" --version | grep -qx "$machine kernels" || { echo "not checked: the processor lacks it"; continue; }
		first "$machine" full --updates 2 ;;
	*) first "$machine" small --updates 3 --batch 4 ;;
	esac
done
