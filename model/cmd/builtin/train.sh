#!/usr/bin/env bash
# Trains a built-in model: train.sh CORPORA FOLDER SOURCE TARGET [FLAG...]
#
# CORPORA has the files that corpora.sha256 names. SOURCE and TARGET are en and fr, or fr and en. FOLDER gets the model
# SOURCE-TARGET.safetensors with its log, its int8 form in the folder int8, and the text in the folder text. The same
# command resumes. The programs rnnsearch and text are in PATH. FLAGs are of rnnsearch train.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
corpora=$1 folder=$2 source=$3 target=$4
shift 4
pair=$source-$target text=$folder/text
mkdir -p "$text" "$folder/int8"

(cd "$corpora" && sha256sum --check --quiet "$here/corpora.sha256")

if [ ! -e "$text/$pair.$target" ]; then
	text $([ "$source" = en ] || echo -reverse) "$corpora" "$text/part"
	mv "$text/part.$source" "$text/$pair.$source"
	mv "$text/part.$target" "$text/$pair.$target"
fi
for language in en fr; do
	(cd "$corpora" && head -q -n 150 {tatoeba,pydocs,europarl}/val.$language open/{ui,docs,prose}-val.$language) > "$text/valid.$language"
done

rnnsearch train --source "$text/$pair.$source" --target "$text/$pair.$target" --source-language "$source" --target-language "$target" \
	--valid-source "$text/valid.$source" --valid-target "$text/valid.$target" --settings "$here/settings.json" --cache "$text/$pair" \
	--model "$folder/$pair.safetensors" --log json --progress-updates 1000 "$@" >> "$folder/$pair.log"
rnnsearch quantize --model "$folder/$pair.safetensors" --output "$folder/int8/$pair.safetensors" --overwrite
