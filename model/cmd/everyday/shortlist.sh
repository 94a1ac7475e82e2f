#!/usr/bin/env bash
# Gives the int8 model of train.sh its lexicon: shortlist.sh CORPORA FOLDER SOURCE TARGET, as there.
set -euo pipefail
corpora=$1 folder=$2 source=$3 target=$4

sentences=$folder/$source-$target.sentences
{
	zcat "$corpora"/{tatoeba,pydocs}/train."$source".gz
	zcat "$corpora/laws/train.$source.gz" | awk 'NR % 24 == 1'
} | awk '!seen[$0]++' > "$sentences"
rnnsearch shortlist --model "$folder/int8/$source-$target.safetensors" --source "$sentences" --common 2000 --quiet
