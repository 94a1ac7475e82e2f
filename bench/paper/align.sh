#!/usr/bin/env bash
# Trains word aligners and compares them with links by hand: a first model of each direction on sentences, and from there a
# second one on one to three of these joined. Words are linked by attention, and where all models agree.
#
#	bench/paper/align.sh TEXT GOLD ...
#
# from the root of the repository. TEXT is a folder with train.en and train.fr, perhaps .gz, val.en and val.fr, and for each GOLD, such as
# gold-test, with GOLD.en, GOLD.fr and GOLD.align. In the environment, SETTINGS chooses other settings, and WORK keeps text and
# models: the same command resumes.
set -euo pipefail
export LC_ALL=C.UTF-8
text=$(realpath "$1") golds=("${@:2}")
settings=$(realpath "${SETTINGS:-bench/paper/settings/hansards.json}")
results=$(realpath -m "${RESULTS:-bench/paper/results/hansards}")
work=${WORK:-${XDG_CACHE_HOME:-$HOME/.cache}/softsearch/paper/align}
mkdir -p "$results" "$work"
go build -o "$work" ./model/cmd/rnnsearch
cd "$work"

# Removes case and accents, and divides lines as the text linked by hand is, where French elisions are whole words.
fold() { # language, or nothing for text that is divided
	perl -CSD -Mutf8 -sne '
		BEGIN { %whole = ("l\x27" => "le", "d\x27" => "de", "qu\x27" => "que", "n\x27" => "ne", "s\x27" => "se", "j\x27" => "je",
			"c\x27" => "ce", "m\x27" => "me", "t\x27" => "te", "jusqu\x27" => "jusque", "lorsqu\x27" => "lorsque",
			"quelqu\x27" => "quelque", "puisqu\x27" => "puisque", du => "de le", des => "de les", au => "a le", aux => "a les") }
		$_ = lc; s/œ/oe/g; s/æ/ae/g; tr/àâäéèêëîïôöùûüç’/aaaeeeeiioouuuc\x27/;
		if ($language) {
			@words = /[a-z]+\x27|(?:mr|hon|mrs|dr)\.|[0-9]+(?:[.,][0-9]+)*|\pL+|\S/g;
			for (@words) { if ($language eq "fr" && $whole{$_}) { $_ = $whole{$_} }
				elsif ($_ ne "aujourd\x27" || $language ne "fr") { s/(.)\x27$/$1 \x27/ } }
			$_ = "@words\n"; s/ \x27 s( |$)/ \x27s$1/g if $language eq "en";
		}
		print' -- -language="$1"; }
in_turn() { awk '{ a[NR-1] = $0 }
	END { for (i = 0; i < NR; i++) { m = 1 + i % 3; if (i + m > NR) continue
		for (k = 0; k < m; k++) printf "%s%s", a[i+k], k + 1 < m ? " " : "\n" } }'; }

for language in en fr; do
	zcat -f "$text/train.$language"* | fold $language >train.$language
	fold $language <"$text/val.$language" >val.$language
	in_turn <train.$language >joined.$language
	for gold in "${golds[@]}"; do fold "" <"$text/$gold.$language" >$gold.$language; done
done
train() { # model, text, source and target, flags
	[ -e $1.done ] || ./rnnsearch train --settings "$settings" --model $1 --log-file $1.jsonl --source $2.$3 --target $2.$4 \
		--valid-source val.$3 --valid-target val.$4 "${@:5}"
	touch $1.done
	cp $1.jsonl "$results"
}
for pair in "en fr" "fr en"; do train first.${pair/ /-} train $pair --updates "${UPDATES:-5000}"; done
# A batch has about as many words as the 64 sentences of the first training.
for pair in "en fr" "fr en"; do train second.${pair/ /-} joined $pair --init first.${pair/ /-} --batch 32; done

for gold in "${golds[@]}"; do
	link() { # way, source and target, models
		./rnnsearch align --tokens --source $gold.$2 --target $gold.$3 "${@:4}" >$gold.$1.$2-$3
	}
	for pair in "en fr" "fr en"; do
		read -r source target <<<"$pair"
		link attention $pair --model second.$source-$target
		link agreement $pair --model first.$source-$target --model second.$source-$target --agree first.$target-$source --agree second.$target-$source
	done
	for way in attention agreement; do
		echo $gold, $way
		./rnnsearch aer --gold "$text/$gold.align" --forward $gold.$way.en-fr --backward $gold.$way.fr-en | tee "$results/$gold.$way.aer"
	done
done
