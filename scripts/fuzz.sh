#!/usr/bin/env bash
# Reads broken files of every format in one process under AddressSanitizer and UBSan, and says which lines of the readers
# were reached.
#   scripts/fuzz.sh [MINUTES] [FORMAT] [SEED]
# MINUTES: 10 where nothing is said; FORMAT: only those whose name begins so (attnscope-fuzz --list names them), or all;
# SEED: another one gives other files. ATTNSCOPE_APP=OFF in the environment: without the formats of the window. Inputs
# that end the process, take more than 10 s or 256 MB lie in build/fuzz/failed/ with what was said; one that was mended
# goes to tests/fuzz/corpus/FORMAT/NAME/ and is read first from then on. It fails when an input does. Lines are counted
# from five minutes on; then it fails, too, when all formats ran and a reader has less than 90 % of its lines reached. It
# needs g++ and its gcov, nothing else.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
shopt -s extglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh
minutes=${1:-10} only=${2:-} seed=${3:-1}
if [[ ! $minutes =~ ^[0-9]+(\.[0-9]+)?$ || ! $seed =~ ^[0-9]+$ ]]; then
  echo "usage: scripts/fuzz.sh [MINUTES] [FORMAT] [SEED]" >&2
  exit 2
fi
if [[ $only == all ]]; then only=""; fi

# What reads files and texts of strangers.
readers=(
  core/base/number core/system/mapped_file
  core/io/{gguf,gguf_cursor,gguf_split,image,inflate,json_file,npy,read_npz,safetensors,safetensors_folder}
  core/io/tensor_source core/tensor/{dequantise,dtype,encoded}
  core/text/'!(own_text)'  # that one reads what is shipped
  core/step/site core/trace/{attention_kind,edit_text,input_json,mask_parser,mask_spec}
  core/arch/'family_*' core/arch/'gguf_*'
  core/arch/{bart_parts,config_reader,fused_heads,image_parts,memory_limit,model_card,open,preprocess_config,recorded}
  core/arch/{edit_json,quantisation,rotary_decoder,scene,scene_config,token_encoder,unused_tensors,weight_reader}
  core/lens/torch_reference core/train/{card,checkpoint,data_file,recipe_json,report_table}
  core/session/{edit_values,session_file,spelling,training_files} app/state/workspace_file
  core/arch/{described,described_config,described_file} core/calc/{sizes,workload} core/lab/lab
  core/lesson/{check,check_parts,expression,expression_functions,expression_gradients,expression_places,lesson_file,progress}
)

build=build/asan
out=$PWD/build/fuzz
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
install_packages all
counts=$(awk "BEGIN { exit !($minutes >= 5) }" && echo ON || echo OFF)
# Without the numbers of lines in the debugger's tables, which take a sixth of the time.
cmake --preset asan -DATTNSCOPE_APP="${ATTNSCOPE_APP:-ON}" -DATTNSCOPE_TESTS=ON -DATTNSCOPE_COVERAGE="$counts" \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DATTNSCOPE_UNITY_LINES=5200 --log-level=WARNING >/dev/null
ninja -C $build attnscope-fuzz
rm -rf "$out"
mkdir -p "$out"

export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1:detect_leaks=0:handle_abort=1
export UBSAN_OPTIONS=print_stacktrace=1
status=0
temporary=$([[ -w /dev/shm ]] && echo /dev/shm || echo "${TMPDIR:-/tmp}")
TMPDIR=$temporary GCOV_PREFIX=$out/lines $build/attnscope-fuzz --only "$only" --seconds "$(awk "BEGIN { print 60 * $minutes }")" \
  --workers "$(nproc)" --seed "$seed" --out "$out" || status=1

# gcov wants the counters beside the compiler's notes.
if [[ $counts == OFF ]]; then exit $status; fi
if [[ ! -d $out/lines ]]; then
  echo "fuzz: this build counts no lines (ATTNSCOPE_COVERAGE needs GCC)"
  exit $status
fi
(cd "$out/lines" && find . -name '*.gcda' -printf '%P\n') | while read -r path; do
  cp "$out/lines/$path" "/$path"
  echo "/$path"
done >"$out/counters"
mapfile -t wanted < <(for reader in "${readers[@]}"; do compgen -G "$reader.cpp" || echo "$reader.cpp is not there" >&2; done)
(cd "$out" && xargs gcov --no-output --source-prefix "$OLDPWD" --relative-only <counters 2>/dev/null) |
  awk -v wanted="${wanted[*]}" -v judge="$([[ -z $only ]] && awk "BEGIN { exit !($minutes >= 5) }" && echo yes)" '
    BEGIN { count = split(wanted, names, " "); for (i = 1; i <= count; ++i) is_reader[names[i]] = 1 }
    /^File / { name = substr($0, 7, length($0) - 7); sub(/^(\.\.\/)+/, "", name) }
    /^Lines executed:/ && (name in is_reader) {
      split($0, part, /[:% ]+/)   # Lines executed 93.5 of 63
      lines[name] = part[5]
      if (part[3] > percent[name]) percent[name] = part[3]
      name = ""
    }
    END {
      for (i = 1; i <= count; ++i) {
        name = names[i]
        if (!(name in lines)) { print "fuzz: no lines of " name " were counted"; bad = 1; continue }
        printf "%-40s %6.1f %% of %4d lines%s\n", name, percent[name], lines[name], percent[name] < 90 ? "  <" : ""
        sum += lines[name]; reached += lines[name] * percent[name] / 100
        if (percent[name] < 90) low = low " " name
      }
      printf "%-40s %6.1f %% of %4d lines\n", "all readers", 100 * reached / sum, sum
      if (judge == "yes" && low != "") { print "fuzz: less than 90 % of:" low; bad = 1 }
      exit bad
    }' || status=1
exit $status
