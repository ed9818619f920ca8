#!/usr/bin/env bash
# Takes the pictures of README.md from the program itself, offscreen, into assets/pictures/.
#   scripts/screenshots.sh
# No display is needed. It takes pictures of the built program and what it ships only: it edits nothing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pictures=$root/assets/pictures
story="The cat sat on the mat because it was tired. So the"
llama=$root/assets/scenes/tiny_llama.json

# picture NAME ARGUMENT...: one PNG of the given view.
picture() {
  local name=$1
  shift
  "$root/scripts/run.sh" --screenshot "$pictures/$name.png" --size 1440x900 --lang en "$@"
  echo "screenshots: assets/pictures/$name.png"
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

mkdir -p "$pictures"
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
