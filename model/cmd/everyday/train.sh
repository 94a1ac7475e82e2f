#!/usr/bin/env bash
# Trains an everyday model: train.sh CORPORA FOLDER SOURCE TARGET [FLAG...]
#
# CORPORA has the folders tatoeba, pydocs and laws. SOURCE and TARGET are en and fr, or fr and en. FOLDER gets the
# model SOURCE-TARGET.safetensors of float32, that of int8 in int8, and the log; the same command resumes. The
# programs rnnsearch and recipe are in PATH. FLAGs are of rnnsearch train.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
corpora=$1 folder=$2 source=$3 target=$4
shift 4

(cd "$corpora" && sha256sum --check --quiet "$here/corpora.sha256")

reverse=
[ "$source" = en ] || reverse=-reverse
made=$folder/$source-$target.made
recipe $reverse -source "$corpora/tatoeba/train.$source.gz" -target "$corpora/tatoeba/train.$target.gz" -output "$made"

# A corpus that stands here several times counts so often.
text=()
for name in tatoeba{,,,,,,} pydocs{,} laws; do
	text+=(--source "$corpora/$name/train.$source.gz" --target "$corpora/$name/train.$target.gz")
done
rnnsearch train --settings "$here/settings.json" --source-language "$source" --target-language "$target" \
	"${text[@]}" --source "$made.$source" --target "$made.$target" \
	--valid-source "$corpora/tatoeba/val.$source" --valid-target "$corpora/tatoeba/val.$target" \
	--model "$folder/$source-$target.safetensors" --log json --progress-updates 1000 "$@" >> "$folder/$source-$target.log"

mkdir -p "$folder/int8"
rnnsearch quantize --model "$folder/$source-$target.safetensors" --output "$folder/int8/$source-$target.safetensors" --overwrite
