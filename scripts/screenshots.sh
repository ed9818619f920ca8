#!/usr/bin/env bash
# Takes the pictures of README.md from the program itself, offscreen, into assets/pictures/.
#   scripts/screenshots.sh
# No display is needed. It takes pictures of the built program and its shipped scenes only: it edits nothing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pictures=$root/assets/pictures
gpt=$root/assets/scenes/tiny_gpt.json
llama=$root/assets/scenes/tiny_llama.json

# picture NAME ARGUMENT...: one PNG of the given view.
picture() {
  local name=$1
  shift
  "$root/scripts/run.sh" --screenshot "$pictures/$name.png" --size 1440x900 "$@"
  echo "screenshots: assets/pictures/$name.png"
}

mkdir -p "$pictures"
picture steps-dark --view steps --head 0 --step blocks.0.attn.scores --theme dark
picture attention-light "$gpt" --view attention --layer 1 --head 0 --step blocks.1.attn.pattern --theme light
picture mask-dark --view mask --head 0 --step blocks.0.attn.mask --theme dark
picture position-dark "$llama" --view position --theme dark
picture residual-dark "$gpt" --view residual --step blocks.1.resid_post --theme dark
picture output-light "$gpt" --view output --step logits --theme light
picture cross-dark "$root/assets/scenes/tiny_translator.json" --view steps --step dec.blocks.0.cross.scores --theme dark
picture sight-light "$root/assets/scenes/tiny_sight.json" --view attention --step blocks.0.attn.pattern --theme light
