#!/usr/bin/env bash
# Takes the pictures of README.md from the program itself, offscreen, into assets/pictures/.
#   scripts/screenshots.sh [MODEL]      MODEL: a model folder for the views that need a text model
# No display is needed. It takes pictures of the built program only: it draws and edits nothing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pictures=$root/assets/pictures
model=${1:-$root/tests/golden/models/gpt2}
text="The animal did not cross the street because it was too tired"

# picture NAME ARGUMENT...: one PNG of the given view.
picture() {
  local name=$1
  shift
  "$root/scripts/run.sh" --screenshot "$pictures/$name.png" --size 1600x1000 "$@"
  echo "screenshots: assets/pictures/$name.png"
}

mkdir -p "$pictures"
# Without MODEL and --text the program shows its default scene, the nine steps.
picture steps-dark --view steps --layer 0 --head 0 --step blocks.0.attn.scores --theme dark
picture steps-light --view steps --layer 0 --head 0 --step blocks.0.attn.pattern --theme light
picture mask-dark --view mask --layer 0 --head 0 --theme dark
if [[ -d $model ]]; then
  picture attention-dark "$model" --text "$text" --view attention --layer 0 --head 0 --theme dark
  picture position-dark "$model" --text "$text" --view position --theme dark
  picture residual-dark "$model" --text "$text" --view residual --theme dark
  picture output-dark "$model" --text "$text" --view output --theme dark
else
  echo "screenshots: no model folder at $model: attention, position, residual and output are left as they are" >&2
fi
