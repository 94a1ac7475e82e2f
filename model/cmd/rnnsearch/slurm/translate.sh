#!/usr/bin/env bash
# Translates a large file on the machines of a Slurm cluster:
#
#   translate.sh INPUT OUTPUT [SBATCH OPTION]... -- [TRANSLATE FLAG]...
#   translate.sh new.en.gz new.fr --partition=cpu --cpus-per-task=8 --time=4:00:00 -- \
#     --model en-fr.safetensors --beam 12
#
# It submits three jobs and returns. The first divides INPUT, which may be compressed with gzip or
# zstd, into shards of SHARD_LINES lines, 50000 if that is unset. In the second, an array, each task
# translates a shard with `rnnsearch translate --resume`; Slurm limits the number of tasks, to 1000
# by default. The third joins the translations, checks the number of lines and writes OUTPUT, which
# has the bytes of one `rnnsearch translate`. Shards, translations and logs are in the folder
# OUTPUT.work, which all machines must share. Remove it when OUTPUT is there. RNNSEARCH names the
# program, if that is not rnnsearch in PATH.
#
# After a failure of any kind, the same command submits what is missing and no more, and interrupted
# shards resume. A line that cannot be translated is an empty line of OUTPUT, with a warning in a log.
#
# Without sbatch, the command only prepares OUTPUT.work for another scheduler. With Kubernetes, run
# `translate.sh --split OUTPUT.work`, an indexed job of `translate.sh --shard OUTPUT.work` in which
# SLURM_ARRAY_TASK_ID is JOB_COMPLETION_INDEX and SLURM_CPUS_PER_TASK the number of threads, and
# `translate.sh --join OUTPUT.work`.
set -euo pipefail
export LC_ALL=C

fail() {
	echo "translate.sh: $*" >&2
	exit 1
}

# text prints a file without its compression.
text() {
	case $(head -c 4 -- "$1" | od -An -tx1) in
	' 1f 8b 08'*) gzip -dc -- "$1" ;;
	' 28 b5 2f fd') zstd -dcq --long=27 -- "$1" ;;
	*) cat -- "$1" ;;
	esac
}

# translation prints the path of the translation of a shard.
translation() { printf '%s/translations/%05d' "$work" "$1"; }

# split_input divides the input into shards.
split_input() {
	[[ ! -e $work/shards ]] || return 0
	rm -rf "$work/shards.new"
	mkdir "$work/shards.new"
	text "$input" | split -l "$size" -d -a 5 - "$work/shards.new/"
	sync "$work/shards.new"/*
	mv "$work/shards.new" "$work/shards"
}

# translate_shard translates the shard of that number, unless that is done.
translate_shard() {
	local to status=0
	to=$(translation "$1")
	[[ ! -e $to ]] || return 0
	"$program" translate "${flags[@]}" --resume --threads "${SLURM_CPUS_PER_TASK:-1}" \
		--input "$work/shards/${to##*/}" --output "$to" || status=$?
	[[ -e $to ]] || exit "$status" # with an output, the status tells of lines that cannot be used
}

# join_translations writes the output.
join_translations() {
	local i n
	[[ ! -e $output ]] || fail "$output: exists already, expected a new file"
	for ((i = 0; i < shards; i++)); do
		cat "$(translation $i)"
	done > "$work/joined"
	n=$(wc -l < "$work/joined")
	((n == lines)) || fail "$work/joined: $n lines, expected $lines as in $input"
	sync "$work/joined"
	mv "$work/joined" "$output"
}

# parse_flags checks the flags of translate and sets flags and files, models and terms, with absolute paths.
parse_flags() {
	local path
	flags=() files=()
	while (($# > 0)); do
		case $1 in
		--model | --model=* | --terms | --terms=*)
			[[ $1 == *=* || $# -gt 1 ]] || fail "$1: expected a value"
			[[ $1 == *=* ]] || { set -- "$1=$2" "${@:3}"; }
			path=$(realpath -e -- "${1#*=}")
			files+=("$path") flags+=("${1%%=*}" "$path")
			;;
		--best | --best=* | --json | --json=* | --format | --format=*)
			fail "${1%%=*}: outputs of shards cannot be joined, expected without" ;;
		--input | --input=* | --output | --output=* | --resume* | --overwrite* | --threads | --threads=*)
			fail "${1%%=*}: is set for each shard, expected without" ;;
		*) flags+=("$1") ;;
		esac
		shift
	done
	[[ " ${flags[*]-}" == *" --model "* ]] || fail "missing --model after --"
}

# prepare makes the work folder, or checks that it is that of the same command.
prepare() {
	local sums settings
	[[ ! -e $output || -e $work/settings ]] || fail "$output: exists already, expected a new file"
	mkdir -p "$work/translations" "$work/logs"
	sums=$(sha256sum -- "$program" "$input" "${files[@]}")
	settings=$(declare -p input output program size flags sums)
	if [[ -e $work/settings ]]; then
		diff "$work/settings" - <<< "$settings" >&2 ||
			fail "$work: is of another program, input, model, terms or flag (<), expected the same or another output"
		return
	fi
	"$program" translate "${flags[@]}" < /dev/null # fails if flags or models are wrong
	text "$input" | grep -c '' > "$work/lines" || fail "$input: expected lines of text"
	echo "$settings" > "$work/settings.new"
	mv "$work/settings.new" "$work/settings"
}

# count sets the numbers of lines and shards.
count() {
	lines=$(< "$work/lines")
	shards=$(((lines + size - 1) / size))
}

# missing prints the numbers of the shards without a translation, in the format of --array.
missing() {
	local i list=() first=
	for ((i = 0; i <= shards; i++)); do
		if ((i < shards)) && [[ ! -e $(translation $i) ]]; then
			first=${first:-$i}
		elif [[ $first ]]; then
			list+=("$first-$((i - 1))") first=
		fi
	done
	(IFS=, && echo "${list[*]}")
}

# submit submits a step as a job with these options after the one submitted before, if any.
submit() {
	local id
	id=$(sbatch --parsable --requeue --open-mode=append --kill-on-invalid-dep=yes --job-name="${1#--} ${output##*/}" \
		${after:+--dependency=afterok:$after} "${options[@]}" "${@:2}" "$script" "$1" "$work")
	after=${id%%;*}
	echo "$after" >> "$work/jobs"
	echo "translate.sh: submitted $1 as job $after"
}

# submit_missing submits a job for each step that is not done, unless earlier jobs have not ended.
submit_missing() {
	local tasks after=
	if [[ -s $work/jobs ]] && squeue --noheader --jobs="$(paste -sd, "$work/jobs")" 2> /dev/null | grep .; then
		echo "translate.sh: these jobs have not ended"
		return
	fi
	[[ -e $work/shards ]] || submit --split --cpus-per-task=1 --output="$work/logs/split-%j.log"
	tasks=$(missing)
	[[ ! $tasks ]] || submit --shard --array="$tasks" --output="$work/logs/shard-%a.log"
	submit --join --cpus-per-task=1 --output="$work/logs/join-%j.log"
}

script=$(realpath -- "$0")
case ${1-} in
--split | --shard | --join)
	work=$(realpath -e -- "${2:?expected the work folder}")
	[[ -e $work/settings ]] || fail "$work: expected a folder that translate.sh has prepared"
	# shellcheck source=/dev/null
	source "$work/settings"
	count
	case $1 in
	--split) split_input ;;
	--shard) translate_shard "${SLURM_ARRAY_TASK_ID:?expected the number of a shard}" ;;
	--join) join_translations ;;
	esac
	;;
[!-]*)
	(($# >= 3)) || fail "expected INPUT OUTPUT [SBATCH OPTION]... -- [TRANSLATE FLAG]..."
	input=$(realpath -e -- "$1") output=$(realpath -m -- "$2") options=() size=${SHARD_LINES:-50000}
	work=$output.work
	[[ $size =~ ^[1-9][0-9]*$ ]] || fail "SHARD_LINES $size: expected a number"
	program=$(command -v -- "${RNNSEARCH:-rnnsearch}") || fail "${RNNSEARCH:-rnnsearch}: not found"
	program=$(realpath -e -- "$program")
	shift 2
	while (($# > 0)) && [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	parse_flags "${@:2}"
	prepare
	count
	if [[ -e $output ]]; then
		echo "translate.sh: $output is complete"
	elif command -v sbatch > /dev/null; then
		submit_missing
	else
		fail "sbatch: not found; $work is prepared for $shards shards"
	fi
	;;
*) fail "expected INPUT OUTPUT [SBATCH OPTION]... -- [TRANSLATE FLAG]..." ;;
esac
