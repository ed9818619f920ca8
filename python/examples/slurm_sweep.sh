#!/usr/bin/env bash
# A sweep (attnscope-cli ablate, patch or path) as a job array of Slurm: each job computes one part of it, one more joins
# them when all have ended, and computes what is missing of those that failed.
#   python/examples/slurm_sweep.sh PARTS ANSWER.json ablate MODEL --text "..." --measure logit_diff:A,B --over head,pos
# The parts stand in ANSWER.json.parts; parts that are there already are not computed again. MODEL and data sets are paths
# that every node has. Options of sbatch are given as its environment variables: SBATCH_PARTITION, SBATCH_TIMELIMIT, ...
# The program is attnscope-cli, or ATTNSCOPE_CLI. It prints the number of the job that joins.
set -euo pipefail
cli=${ATTNSCOPE_CLI:-attnscope-cli}

case "${1:-}" in
  --help)
    sed -n '2,${/^#/!q;s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
  --part) # of the array
    answer=$2
    shift 2
    part=$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_MAX
    file=$answer.parts/${part%/*}-of-${part#*/}.json
    if [[ ! -e $file ]]; then "$cli" "$@" --shard "$part" --out "$file"; fi
    exit 0
    ;;
  --join)
    shopt -s nullglob
    parts=("$2".parts/*.json)
    if ((${#parts[@]} == 0)); then
      echo "slurm_sweep: no part of $2 was computed; the jobs' own outputs say why" >&2
      exit 1
    fi
    # The words of the answer are those that its own user gave here.
    "$cli" --allow-outside rerun --missing "${parts[@]}" --out "$2"
    exit 0
    ;;
esac

if (($# < 4)) || [[ ! $1 =~ ^[1-9][0-9]*$ || $2 != *.json ]]; then
  echo "usage: ${0##*/} PARTS ANSWER.json ablate|patch|path MODEL ... (see --help)" >&2
  exit 2
fi
if (($1 < 2)); then
  echo "slurm_sweep: a sweep in one part is the command itself" >&2
  exit 2
fi
parts=$1 answer=$(realpath -m "$2")
shift 2
mkdir -p "$answer.parts"
array=$(sbatch --parsable --array="1-$parts" --job-name=attnscope --output="$answer.parts/%a.out" "$0" --part "$answer" "$@")
sbatch --parsable --dependency="afterany:${array%%;*}" --job-name=attnscope-join --output="$answer.parts/join.out" \
  "$0" --join "$answer"
