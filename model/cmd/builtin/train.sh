#!/usr/bin/env bash
# Trains a built-in model: train.sh CORPORA FOLDER SOURCE TARGET [FLAG...]
#
# CORPORA has the folders tatoeba, pydocs and laws. SOURCE and TARGET are en and fr, or fr and en. FOLDER gets models
# SOURCE-TARGET.safetensors: in first and second those of two trainings, the second from the int8 form of the first,
# with logs; in int8 their mean; and text. The same command resumes. The programs rnnsearch and text are in PATH.
# FLAGs are of rnnsearch train, for both trainings.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
corpora=$1 folder=$2 source=$3 target=$4
shift 4
pair=$source-$target text=$folder/text
mkdir -p "$text"

(cd "$corpora" && sha256sum --check --quiet "$here/corpora.sha256")

# made FLAG FILE makes text, unless it is there.
made() {
	local flags=("$1")
	[ "$source" = en ] || flags+=(-reverse)
	[ -e "$2.$target" ] || text -source <(zcat "$corpora/tatoeba/train.$source.gz") -target <(zcat "$corpora/tatoeba/train.$target.gz") \
		"${flags[@]}" -output "$2"
}
made -short=false "$text/$pair.made"
made -short=true "$text/$pair.short"

# train MODEL CORPUS... -- FLAG... trains on corpora: one that stands here several times counts so often.
train() {
	local model=$1 files=() name
	shift
	for name; do
		[ "$name" != -- ] || break
		shift
		case $name in
		made | short) files+=(--source "$text/$pair.$name.$source" --target "$text/$pair.$name.$target") ;;
		*) files+=(--source "$corpora/$name/train.$source.gz" --target "$corpora/$name/train.$target.gz") ;;
		esac
	done
	shift
	mkdir -p "$(dirname "$model")"
	rnnsearch train "${files[@]}" --valid-source "$corpora/tatoeba/val.$source" --valid-target "$corpora/tatoeba/val.$target" \
		--model "$model" --log json --progress-updates 1000 "$@" >> "${model%.safetensors}.log"
}

# quantize FOLDER writes the int8 form of its model.
quantize() {
	mkdir -p "$1/int8"
	rnnsearch quantize --model "$1/$pair.safetensors" --output "$1/int8/$pair.safetensors" --overwrite
}

train "$folder/first/$pair.safetensors" tatoeba{,,,,,,} pydocs{,} laws made -- \
	--settings "$here/first.json" --cache "$text/$pair.first" --source-language "$source" --target-language "$target" "$@"
quantize "$folder/first"
train "$folder/second/$pair.safetensors" tatoeba{,,,,,,} pydocs{,} laws made short -- \
	--settings "$here/second.json" --cache "$text/$pair.second" --init "$folder/first/int8/$pair.safetensors" "$@"
rnnsearch average --model "$folder/first/int8/$pair.safetensors" --model "$folder/second/$pair.safetensors" \
	--output "$folder/$pair.safetensors" --overwrite
quantize "$folder"
