#!/usr/bin/env bash
# Trains five models of each language of task 1 of SIGMORPHON 2016, and counts the forms that the first one and all find:
#
#	bench/paper/inflect.sh DATA
#
# from the root of the repository. DATA is a folder with LANGUAGE-task1-train.gz, -dev.gz and -test.gz. In the environment,
# LANGUAGES and FLAGS choose others and other flags of rnnsearch train, and WORK keeps text and models: the same command resumes.
set -euo pipefail
export LC_ALL=C.UTF-8
data=$(realpath "$1") results=$(realpath -m "${RESULTS:-bench/paper/results/sigmorphon2016}")
languages=${LANGUAGES:-arabic german hungarian russian spanish turkish}
export flags=${FLAGS:---recipe characters}
work=${WORK:-${XDG_CACHE_HOME:-$HOME/.cache}/softsearch/paper/inflect}
mkdir -p "$results" "$work"
go build -o "$work" ./model/cmd/rnnsearch
cd "$work"

# The source is the features and the letters of the lemma, the target the letters of the form.
for language in $languages; do
	for part in train dev test; do
		zcat "$data/$language-task1-$part.gz" | sed 's/ /_/g' >$part.tsv
		paste -d ' ' <(cut -f 2 $part.tsv | tr , ' ') <(cut -f 1 $part.tsv | sed 's/./& /g; s/ $//') >$language.$part.in
		cut -f 3 $part.tsv | sed 's/./& /g; s/ $//' >$language.$part.out
	done
done
train() { # language, seed
	[ -e $1-$2.done ] || ./rnnsearch train $flags --seed $2 --threads 1 --source $1.train.in --target $1.train.out \
		--valid-source $1.dev.in --valid-target $1.dev.out --model $1-$2.safetensors --log-file $1-$2.jsonl >/dev/null
	touch $1-$2.done
}
export -f train
for seed in 1 2 3 4 5; do printf "%s $seed\n" $languages; done | xargs -P "$(nproc)" -L 1 bash -euc 'train $0 $1'

right() { # language, part, seeds
	local models=()
	for seed in $3; do models+=(--model $1-$seed.safetensors); done
	./rnnsearch translate --quiet --beam 12 "${models[@]}" <$1.$2.in | paste $1.$2.out - | awk -F '\t' '$1 == $2 { n++ } END { print n + 0 }'
}
{
	echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, $(go env GOVERSION), $(date -u +%F)"
	for language in $languages; do
		cp $language-1.jsonl "$results/$language.jsonl"
		row=$language
		for part in test dev; do
			row+=" $(wc -l <$language.$part.in) $(right $language $part 1) $(right $language $part "1 2 3 4 5")"
		done
		for seed in 1 2 3 4 5; do
			row+=" $(sed -n 's/.*"event":"validation".*"seconds":\([0-9.]*\).*/\1/p' $language-$seed.jsonl | tail -n 1 | awk '{ printf "%.1f", $1 / 60 }')"
		done
		echo $row
	done
} >"$results/forms.txt"
