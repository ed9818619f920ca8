#!/usr/bin/env bash
# The Debian packages that attnscope is made of, in one place; installs those that are missing.
#   scripts/packages.sh [WHAT]          build: what building and running needs; all (usual): the tests' tools as well;
#                                       package, entry: what scripts/package.sh makes a package with, and opens it with;
#                                       tree: what scripts/debian-tree.sh needs; engines: those that scripts/record.py
#                                       records (Debian sid has them all)
#   source scripts/packages.sh          for the function install_packages, with the same argument
# Names are those of Debian 12 and 13. It downloads nothing but these packages, touches the network only when one
# is missing, and refuses to guess how to become root: without root or sudo it prints the command to run.

build_packages=(
  g++ cmake ninja-build pkgconf ccache
  libimgui-dev libglfw3-dev python3-glad libegl-dev libfreetype-dev libstb-dev
  libeigen3-dev nlohmann-json3-dev libcli11-dev libicu-dev libpng-dev libjpeg-dev zlib1g-dev libcairo2-dev libgif-dev
  libwebp-dev
  libgl1 libgl1-mesa-dri libegl1 libegl-mesa0
  fonts-inter fonts-jetbrains-mono fonts-dejavu-core fonts-nanum
  xclip
)
test_packages=(
  libgtest-dev libbenchmark-dev
  xvfb xauth xdotool x11-utils libx11-dev nabi
  clang-format clang-tidy
  python3-numpy python3-pil python3-distributed
)

# Prints the packages among the arguments that are not installed, one per line.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
  done
}

# Runs apt-get quietly as root; shows the end of its log when it fails.
run_apt() {
  local log status=0
  log=$(mktemp)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 || status=$?
  if ((status != 0)); then
    tail -n 15 "$log" >&2
  fi
  rm -f "$log"
  return "$status"
}

# install_packages [build|all|tree|package|entry|engines]: installs what is missing of the list.
install_packages() {
  local wanted=("${build_packages[@]}") missing=() by_hand
  case "${1:-build}" in
    all) wanted+=("${test_packages[@]}") ;;
    tree) wanted=(debootstrap) ;;
    package) wanted+=(file dpkg-dev) ;;
    entry) wanted=(xvfb xdotool libglib2.0-bin shared-mime-info desktop-file-utils appstream) ;;
    engines) wanted=(python3-torch python3-transformers python3-accelerate libllama-dev libggml-dev) ;;
  esac
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "packages: this machine has no apt-get, so nothing is installed here. attnscope needs what Debian calls:" >&2
    echo "  ${wanted[*]}" >&2
    return 0
  fi
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if ((${#missing[@]} == 0)); then
    return 0
  fi
  by_hand="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"

  as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null || { ! sudo -n true 2>/dev/null && [[ ! -t 0 ]]; }; then
      echo "packages: ${#missing[@]} Debian packages are missing and only root can install them. As root, run:" >&2
      echo "  $by_hand" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "packages: installing ${missing[*]}"
  if ! run_apt update || ! run_apt install -y --no-install-recommends "${missing[@]}"; then
    echo "packages: apt-get could not install what is missing (is there a network?). As root, run:" >&2
    echo "  $by_hand" >&2
    return 1
  fi
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  set -euo pipefail
  # shellcheck source=scripts/help.sh
  source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
  case "${1:-all}" in
    build | all | tree | package | entry | engines) install_packages "${1:-all}" ;;
    *)
      echo "usage: scripts/packages.sh [build|all|tree|package|entry|engines]" >&2
      exit 2
      ;;
  esac
fi
