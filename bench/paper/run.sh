#!/usr/bin/env bash
# Trains RNNencdec and RNNsearch on sentences up to several lengths, and scores them as Table 1 and Figure 2 of the paper do:
#
#	bench/paper/run.sh NAME "SYSTEM ..." [TEXT]
#
# from the root of the repository. NAME is that of settings/NAME.json and of the results. A SYSTEM is encdec or search, - and the
# most words of a training sentence. TEXT is a folder with train, val and test, each .en and .fr, perhaps .gz; without it
# the text is generated. In the environment,
#
#	JOIN=3         joins 1, 2 and 3 sentences in turn for training, and 1 to 5 equally often for the test
#	RAW=1          tokenizes the text first
#	SHOWN=FILE     has the sentences of Figure 3
#	WORK=FOLDER    keeps text, models and translations; the same command resumes
#	SETTINGS=FILE, RESULTS=FOLDER
set -euo pipefail
export LC_ALL=C.UTF-8
name=$1 systems=$2 text=${3:-} join=${JOIN:-1}
settings=$(realpath "${SETTINGS:-bench/paper/settings/$name.json}")
results=$(realpath -m "${RESULTS:-bench/paper/results/$name}")
work=${WORK:-${XDG_CACHE_HOME:-$HOME/.cache}/softsearch/paper/$name}
mkdir -p "$results" "$work"
cat "${SHOWN:-bench/paper/settings/$name.shown.en}" >"$work/shown"
go build -o "$work" ./model/cmd/rnnsearch ./bench/paper
[ -n "$text" ] || { text=$work; "$work/paper" -generate "$work"; }
text=$(realpath "$text")
cd "$work"

# From each sentence on, 1, 2 ... n sentences in turn.
in_turn() { awk -v n="$join" '{ a[NR-1] = $0 }
	END { for (i = 0; i < NR; i++) { m = 1 + i % n; if (i + m > NR) continue
		for (k = 0; k < m; k++) printf "%s%s", a[i+k], k + 1 < m ? " " : "\n" } }'; }
# Equally many texts of 1, 2 ... n+2 sentences, which do not overlap.
equally() { awk -v n="$join" '{ a[NR-1] = $0 }
	END { if (n == 1) { for (i = 0; i < NR; i++) print a[i]; exit }
		for (m = 1; m <= n + 2; m++) for (i = 0; i < int(NR / (n + 2)); i++)
			for (k = 0; k < m; k++) printf "%s%s", a[i*m+k], k + 1 < m ? " " : "\n" }'; }
tokens() { if [ -n "${RAW:-}" ]; then ./paper -tokenize "$1"; else cat; fi; }

for language in en fr; do
	for part in train val test; do
		file=$text/$part.$language
		[ -e "$file" ] || file=$file.gz
		zcat -f "$file" | tokens $language | if [ $part = test ]; then equally; else in_turn; fi >$part.$language.text
	done
done
models=()
for system in $systems; do
	kind=${system%-*} limit=${system#*-}
	paste train.en.text train.fr.text | awk -F '\t' -v n="$limit" 'split($1, a, " ") <= n && split($2, b, " ") <= n' >$limit.pairs
	cut -f 1 $limit.pairs >$limit.en
	cut -f 2 $limit.pairs >$limit.fr
	flags=()
	# As in the paper, the alignment model has as many units as a GRU. A word has at most four segments on average.
	[ $kind = encdec ] || flags=(--alignment "$(sed -n 's/.*"hidden": \([0-9]*\).*/\1/p' "$settings")")
	[ -e $system.done ] || ./rnnsearch train --settings "$settings" --kind $kind --max-length $((4 * limit)) "${flags[@]}" \
		--source $limit.en --target $limit.fr --valid-source val.en.text --valid-target val.fr.text \
		--model $system.safetensors --log-file $system.jsonl
	touch $system.done
	cp $system.jsonl "$results"
	models+=($system.safetensors)
	[ $kind = encdec ] || last=$system
done

paste test.en.text test.fr.text | ./paper -known "${models[@]}" >known
score() { # key, file of a source, a reference and a translation a line, separated by tabs
	[ -s "$2" ] || return 0
	cut -f 2 "$2" >reference
	cut -f 3 "$2" | ./rnnsearch bleu --reference reference --confidence |
		awk -v key="$1" -v words="$(cut -f 1 "$2" | awk '{ n += NF } END { print NR, n / NR }')" '$1 == "BLEU" && NF == 4 { print key ":", words, $2, $3, $4 }'
}
translate() { ./rnnsearch translate --quiet --beam 10 --replace-unk=false --model "$@"; }
for system in $systems; do
	translate $system.safetensors <test.en.text | paste test.en.text test.fr.text - >all
	paste known test.en.text test.fr.text | sed -n 's/^1\t//p' >pairs
	cut -f 1 pairs | translate $system.safetensors --forbid-unk | paste pairs - >all.known
	{
		echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, $(grep -o '[a-z0-9]* kernels' $system.jsonl | head -n 1), $(go env GOVERSION)"
		echo "date: $(date -u +%F)"
		echo "pairs: $(wc -l <"${system#*-}.en")"
		echo "weights: $(./rnnsearch info --json --model $system.safetensors | sed -n 's/.*"parameters": *\([0-9]*\).*/\1/p')"
		score all all
		score known all.known
		for first in 1 11 21 31 41 51 61 71; do
			awk -F '\t' -v first=$first '{ n = split($1, w, " ") } n >= first && (n < first + 10 || first == 71)' all >range
			score length range
		done
	} >"$results/$system.scores"
	translate $system.safetensors --normalize 1 <test.en.text |
		./rnnsearch bleu --reference test.fr.text --confidence --by-length test.en.text >"$results/$system.bleu"
done
if [ -n "${last:-}" ]; then
	tokens en <shown | ./rnnsearch align --model $last.safetensors --beam 10 --format svg >"$results/figure3.svg"
	touch "$results/figure2.svg"
fi
