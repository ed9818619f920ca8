#!/usr/bin/env bash
# Photographs every page of every lesson in every language, offscreen, to be looked at by a person.
#   scripts/lesson_pictures.sh FOLDER [ARGUMENT...]    # for example: /tmp/pages --size 1920x1080 --present
# Files are named LANGUAGE_LESSON_PAGE.png. It takes pictures of the built program and what it ships only.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:?"say which folder: scripts/lesson_pictures.sh FOLDER"}
shift
mkdir -p "$folder"
program=$root/build/release/attnscope
for strings in "$root"/assets/strings/*/; do
  language=$(basename "$strings")
  for file in "$root"/assets/lessons/*.json; do
    lesson=$(basename "$file" .json)
    lesson=${lesson#*_}
    pages=$(grep -c '^   "id": ' "$file")
    for ((page = 1; page <= pages; ++page)); do
      "$program" --screenshot "$folder/${language}_${lesson}_$page.png" --lesson "$lesson" --page "$page" \
        --lang "$language" --size 1280x720 --no-animation "$@"
    done
  done
done
echo "lesson_pictures: $(find "$folder" -name '*.png' | wc -l) pictures in $folder"
