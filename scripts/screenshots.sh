#!/usr/bin/env bash
# Takes the pictures of README.md from the program itself, offscreen, into assets/pictures/.
#   scripts/screenshots.sh
#   scripts/screenshots.sh --check             takes them into a folder of its own and says which of README's are of
#       another program than this one: those that differ in a byte, are missing, or are taken by no line below
#   scripts/screenshots.sh all DIR [NAME...]   every view of every shipped model (or of those named: storyteller)
#       at 1280x720 and 1920x1080, dark and light, in English and Korean, and DIR/index.html, which shows them in
#       rows; pictures that are there already stay, so that it can go on
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

# asked NAME PAGE THEME: the question of the story, from a session that asks it.
asked() {
  local session
  session=$(mktemp --suffix=.attnscope)
  cat > "$session" <<JSON
{"format": "attnscope-session", "version": 1, "model": {"path": "model:storyteller", "title": "Storyteller"},
 "look": {"view": "ask", "ask": {"measure": "logit_diff:cat,mat", "page": $2, "change": false,
                                 "other": "${story/tired/soft}"}}}
JSON
  picture "$1" "$session" --text "$story" --theme "$3"
  rm "$session"
}

# all DIR [NAME...]: a row for each view of each model, a column for each size, theme and language.
all() {
  local dir=$1 model view size theme lang name program=$root/build/release/attnscope failed=0
  shift
  [[ -x $program ]] || program=$root/scripts/run.sh
  mkdir -p "$dir"
  local models=("$@") views=()
  [[ $# -gt 0 ]] || for model in "$root"/assets/models/*/; do models+=("$(basename "$model")"); done
  for view in "$root"/app/views/*_view.cpp; do views+=("$(basename "$view" _view.cpp)"); done
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
  for model in "${models[@]}"; do
    for view in "${views[@]}"; do
      printf '<tr><th>%s<br>%s</th>' "$model" "$view" >> "$page"
      for size in 1280x720 1920x1080; do for theme in dark light; do for lang in en ko; do
        name=$model-$view-$size-$theme-$lang.png
        if [[ ! -s $dir/$name ]] && ! "$program" --screenshot "$dir/$name" --size "$size" --theme "$theme" \
            --lang "$lang" --view "$view" "model:$model"; then
          echo "screenshots: $name failed" >&2
          failed=1
        fi
        printf '<td><a href="%s"><img loading="lazy" src="%s"></a></td>' "$name" "$name" >> "$page"
      done; done; done
      printf '</tr>\n' >> "$page"
    done
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
picture storyteller-dark --theme dark
picture steps-dark scene:nine_steps --view steps --head 0 --step blocks.0.attn.scores --theme dark
picture attention-light model:induction --view attention --layer 1 --head 0 --step blocks.1.attn.pattern --theme light
picture mask-dark scene:nine_steps --view mask --head 0 --step blocks.0.attn.mask --theme dark
picture position-dark "$llama" --view position --theme dark
picture residual-dark model:storyteller --text "$story" --view residual --step blocks.1.resid_post --theme dark
picture output-light model:storyteller --text "$story" --view output --step logits --theme light
picture cross-light model:translator --view steps --step dec.blocks.1.cross.pattern --head 3 --theme light
picture sight-dark model:pilot --view attention --theme dark
picture training-dark --train sorter --train-steps 400 --theme dark
picture backward-light model:storyteller --backward --view steps --step blocks.1.resid_mid --theme light
asked ask-dark 1 dark
asked parts-light 2 light
picture lesson-light --lesson induction_head --page 2 --theme light
picture labs-dark --lab sqrt --theme dark
picture calculator-dark --view calculator --theme dark

if [[ $check == yes ]]; then
  if ! diff -rq "$root/assets/pictures" "$pictures"; then
    echo "screenshots: README's pictures above are not what the program draws now: scripts/screenshots.sh takes them anew" >&2
    exit 1
  fi
  echo "screenshots: all $(find "$pictures" -name '*.png' | wc -l) pictures are what the program draws"
fi
