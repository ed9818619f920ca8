#!/usr/bin/env bash
# What PyTorch says of every shipped model, for Check and `attnscope-cli compare model:NAME --reference`.
#   scripts/references.sh [NAME...]           # writes assets/references/NAME.json; without a name, of all models
#   scripts/references.sh --check [NAME...]   # writes nothing: compares, and its exit status is 1 where one differs
#   scripts/references.sh --show NAME [STEP]  # the whole arrays of a model's steps, or of one step
# To be run after a shipped model was trained anew. It installs nothing; it needs PyTorch (Debian: python3-torch) for
# scripts/references.py, which holds the models: torch alone, apart from the program's code.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# A python3 of the user's own may come before the system's, for which Debian has torch.
for python in python3 /usr/bin/python3; do
  if command -v "$python" >/dev/null && "$python" -c 'import numpy, torch' 2>/dev/null; then
    exec "$python" "$root/scripts/references.py" "$@"
  fi
done
echo "references: no python3 here has torch and numpy: sudo apt-get install python3-torch (or scripts/debian-tree.sh sid \
apt-get install -y python3-torch, then scripts/debian-tree.sh sid scripts/references.sh $*)" >&2
exit 1
