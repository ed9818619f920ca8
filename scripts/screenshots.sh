#!/usr/bin/env bash
# Takes the pictures of README.md and the handbook from the program itself, offscreen, into assets/pictures/.
#   scripts/screenshots.sh
#   scripts/screenshots.sh --check             takes them into a folder of its own and says which of README's are of
#       another program than this one: those that differ in more than rounding, are missing, or are taken by no line below
#   scripts/screenshots.sh all DIR [NAME...]   every view of every shipped model (or of those named: storyteller)
#       at 1280x720 and 1920x1080, dark and light, in English and Korean, the easy window's pictures too, and
#       DIR/index.html, which shows them in rows; pictures that are there already stay, so that it can go on
# No display is needed. It takes pictures of the built program and what it ships only: it edits nothing.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pictures=$root/assets/pictures
story="The cat sat on the mat because it was tired. So the"
llama=$root/assets/scenes/tiny_llama.json

# picture NAME ARGUMENT...: one PNG of the given view.
picture() {
  local name=$1
  shift
  "$root/scripts/run.sh" --screenshot "$pictures/$name.png" --size 1440x900 --lang en "$@"
  echo "screenshots: $name.png"
}

# of_session NAME THEME LOOK RUN ARGUMENT...: the story as a session that looks so; RUN: what else the session holds.
of_session() {
  local name=$1 theme=$2 look=$3 run=${4:-} session
  shift $(($# < 4 ? $# : 4))
  session=$(mktemp --suffix=.attnscope)
  cat > "$session" <<JSON
{"format": "attnscope-session", "version": 1, "model": {"path": "model:storyteller", "title": "Storyteller"},
 "look": {$look}${run:+, $run}}
JSON
  picture "$name" "$session" --text "$story" --theme "$theme" "$@"
  rm "$session"
}

# asked NAME PAGE THEME: the question of the story.
asked() {
  of_session "$1" "$3" "\"view\": \"ask\", \"ask\": {\"measure\": \"logit_diff:cat,mat\", \"page\": $2, \"change\": false,
    \"other\": \"${story/tired/soft}\"}"
}

# all DIR [NAME...]: a row for each view of each model, a column for each size, theme and language.
all() {
  local dir=$1 model view size theme lang name program=$root/build/release/attnscope failed=0
  shift
  [[ -x $program ]] || program=$root/scripts/run.sh
  mkdir -p "$dir"
  local models=("$@") views=() easy=()
  [[ $# -gt 0 ]] || for model in "$root"/assets/models/*/; do models+=("$(basename "$model")"); done
  for view in "$root"/app/views/*_view.cpp; do views+=("$(basename "$view" _view.cpp)"); done
  for view in "$root"/core/view/view_*.cpp; do  # labs show no model
    [[ $view == */view_labs.cpp ]] || easy+=("$(basename "${view#*/view/view_}" .cpp)")
  done
  local page=$dir/index.html
  cat > "$page" <<'HTML'
<!doctype html><meta charset="utf-8"><title>attnscope: every view of every model</title>
<style>body{font:14px sans-serif;background:#888}tr>*{padding:4px;text-align:left;vertical-align:top}img{width:480px}
th{position:sticky;left:0;top:0;background:#ddd}</style>
<table>
HTML
  {
    printf '<tr><th></th>'
    for size in 1280x720 1920x1080; do for theme in dark light; do for lang in en ko; do
      printf '<th>%s %s %s</th>' "$size" "$theme" "$lang"
    done; done; done
    printf '</tr>\n'
  } >> "$page"
  # row LABEL NAME ARGUMENT...: one picture for each size, theme and language.
  row() {
    local label=$1 named=$2
    shift 2
    printf '<tr><th>%s</th>' "$label" >> "$page"
    for size in 1280x720 1920x1080; do for theme in dark light; do for lang in en ko; do
      name=$named-$size-$theme-$lang.png
      if [[ ! -s $dir/$name ]] && ! "$program" --screenshot "$dir/$name" --size "$size" --theme "$theme" \
          --lang "$lang" "$@"; then
        echo "screenshots: $name failed" >&2
        failed=1
      fi
      printf '<td><a href="%s"><img loading="lazy" src="%s"></a></td>' "$name" "$name" >> "$page"
    done; done; done
    printf '</tr>\n' >> "$page"
  }
  for model in "${models[@]}"; do
    for view in "${easy[@]}"; do
      row "$model<br>$view, easy" "$model-easy-$view" --level easy --view "$view" "model:$model"
    done
    for view in "${views[@]}"; do row "$model<br>$view" "$model-$view" --view "$view" "model:$model"; done
    echo "screenshots: $model"
  done
  echo '</table>' >> "$page"
  echo "screenshots: $page"
  return $failed
}

if [[ ${1:-} == all ]]; then
  [[ $# -ge 2 ]] || { sed -n 's/^#   //p' "$0"; exit 2; }
  shift
  all "$@"
  exit
fi

check=no
if [[ ${1:-} == --check ]]; then
  check=yes
  pictures=$(mktemp -d)
  trap 'rm -rf "$pictures"' EXIT
elif (($# > 0)); then
  sed -n 's/^#   //p' "$0" >&2
  exit 2
fi
mkdir -p "$pictures"
picture easy-dark --level easy --theme dark
of_session film-dark dark '"level": "easy", "station": "softmax"' "" --view steps
of_session ab-dark dark '"level": "easy", "view": "attention", "difference": true' \
  '"edits": ["blocks.1.attn.pattern[head=3,query=13,key=2]=0"]'
picture storyteller-dark --theme dark
picture steps-dark scene:nine_steps --view steps --head 0 --step blocks.0.attn.scores --theme dark
picture attention-light model:induction --view attention --layer 1 --head 0 --step blocks.1.attn.pattern --theme light
picture mask-dark scene:nine_steps --view mask --head 0 --step blocks.0.attn.mask --theme dark
picture position-dark "$llama" --view position --theme dark
picture tokenizer-dark --text "$story" --set tokenizer.shelf=beside --view tokenizer --theme dark
picture embedding-light model:storyteller --text "$story" --set embedding.page=map --view embedding --theme light
picture residual-dark model:storyteller --text "$story" --view residual --step blocks.1.resid_post --theme dark
picture mlp-dark model:storyteller --text "$story" --view mlp --layer 1 --theme dark
picture kv-light model:storyteller --text "$story" --view kv --theme light
picture output-light model:storyteller --text "$story" --view output --step logits --theme light
picture cross-light model:translator --view steps --step dec.blocks.1.cross.pattern --head 3 --theme light
picture sight-dark model:pilot --view attention --theme dark
picture training-dark --train sorter --train-steps 400 --theme dark
picture backward-light model:storyteller --backward --view steps --step blocks.1.resid_mid --theme light
asked ask-dark 1 dark
asked parts-light 2 light
of_session check-dark dark '"view": "check", "check": {"against_pinned": true}' \
  '"edits": ["blocks.1.attn.z[head=3]=0"], "pinned": {}'
picture lesson-light --lesson induction_head --page 2 --theme light
picture labs-dark --lab sqrt --theme dark
picture calculator-dark --view calculator --theme dark

# Prints which pictures of two folders are missing in one or differ: another processor rounds a colour or the edge of a
# curve otherwise, so by more than a twentieth of a colour's range anywhere.
differing() {
  local python=python3
  "$python" -c 'import PIL, numpy' 2>/dev/null || python=/usr/bin/python3  # a python3 of the user's own may lack them
  "$python" - "$@" <<'PYTHON'
import pathlib, sys
import numpy, PIL.Image

def pixels(path):
    with PIL.Image.open(path) as picture:
        return numpy.asarray(picture.convert("RGB")).astype(int)

one, other = ({path.name: path for path in pathlib.Path(folder).glob("*.png")} for folder in sys.argv[1:])
for name in sorted(one.keys() | other.keys()):
    if name not in one or name not in other:
        print(name, "is missing in", sys.argv[2 if name in one else 1])
        continue
    a, b = pixels(one[name]), pixels(other[name])
    away = 255 if a.shape != b.shape else abs(a - b).max()
    if away > 12:
        print(name, "differs by", away, "of 255")
PYTHON
}

if [[ $check == yes ]]; then
  found=$(differing "$root/assets/pictures" "$pictures")
  if [[ -n $found ]]; then
    echo "$found" >&2
    echo "screenshots: README's pictures above are not what the program draws now: scripts/screenshots.sh takes them anew" >&2
    exit 1
  fi
  echo "screenshots: all $(find "$pictures" -name '*.png' | wc -l) pictures are what the program draws"
fi
