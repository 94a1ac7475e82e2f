#!/usr/bin/env bash
# Adds a lexicon to the int8 model that train.sh made: shortlist.sh CORPORA FOLDER SOURCE TARGET, its arguments.
set -euo pipefail
corpora=$1 folder=$2 source=$3 target=$4

sentences=$folder/$source-$target.sentences
{
	zcat "$corpora"/{tatoeba,pydocs}/train."$source".gz
	zcat "$corpora/laws/train.$source.gz" | awk 'NR % 24 == 1'
	awk 'NF <= 2' "$folder/text/$source-$target.short.$source"
} | awk '!seen[$0]++' > "$sentences"
rnnsearch shortlist --model "$folder/int8/$source-$target.safetensors" --source "$sentences" --common 2000 --quiet
