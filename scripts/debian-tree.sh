#!/usr/bin/env bash
# Runs a command in a Debian of another suite, with this clone inside it: for newer compilers, Dear ImGui, PyTorch.
#   scripts/debian-tree.sh SUITE COMMAND [ARGUMENT...]      SUITE: trixie, sid, ...
#   scripts/debian-tree.sh sid scripts/run.sh --screenshot /tmp/sid.png
#   scripts/debian-tree.sh sid apt-get install -y python3-torch
# The first call makes the tree with debootstrap from the mirror that this machine's apt uses, in
# ${XDG_CACHE_HOME:-~/.cache}/attnscope/SUITE; what is installed in it stays. The clone and /tmp have the same paths
# inside; build/ is the tree's own, so that builds of two suites never mix. Nothing stays mounted and no process stays
# behind when the command ends: to remove a tree, delete its folder. It refuses to work without root.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/packages.sh
source "$root/scripts/packages.sh"

if (($# < 2)) || [[ ! $1 =~ ^[a-z][a-z0-9-]*$ ]]; then
  echo "usage: scripts/debian-tree.sh SUITE COMMAND [ARGUMENT...]" >&2
  exit 2
fi
if ((EUID != 0)); then
  echo "debian-tree: only root can make a Debian tree and enter it: sudo scripts/debian-tree.sh $*" >&2
  exit 1
fi
suite=$1
shift
trees=${XDG_CACHE_HOME:-$HOME/.cache}/attnscope
tree=$trees/$suite

# The place that this machine's own Debian packages come from; Debian's own where it is no Debian.
mirror() {
  local found
  found=$(apt-get indextargets 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' --format '$(REPO_URI)' 2>/dev/null |
    head -n 1)
  echo "${found:-http://deb.debian.org/debian}"
}

# Makes the tree beside its place and moves it there when it is whole.
make_tree() {
  install_packages tree
  echo "debian-tree: making $tree (some minutes)"
  rm -rf "$tree.part"
  if ! debootstrap --variant=minbase --include=ca-certificates,apt-utils "$suite" "$tree.part" "$(mirror)" \
    >"$trees/$suite.log" 2>&1; then
    tail -n 15 "$trees/$suite.log" >&2
    echo "debian-tree: $suite could not be made: see $trees/$suite.log (is there a network? does the suite exist?)" >&2
    return 1
  fi
  # A mirror's index of sid can be past its date. Services have no business in a tree.
  printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'APT::Install-Recommends "false";' \
    >"$tree.part/etc/apt/apt.conf.d/90attnscope"
  printf '#!/bin/sh\nexit 101\n' >"$tree.part/usr/sbin/policy-rc.d"
  chmod +x "$tree.part/usr/sbin/policy-rc.d"
  mv "$tree.part" "$tree"
  update=yes
}

mkdir -p "$trees"
update=no
exec 9>"$trees/$suite.lock"
flock 9
[[ -d $tree ]] || make_tree
exec 9>&-

# In namespaces of its own: mounts and processes end with the command.
cp /etc/resolv.conf "$tree/etc/resolv.conf"
mkdir -p "$root/build" "$tree$root" "$tree/builds$root"
export root tree update
exec unshare --mount --pid --fork --kill-child bash -c '
  set -euo pipefail
  mount --make-rprivate /
  mount -t proc proc "$tree/proc"
  mount --rbind /dev "$tree/dev"
  mount --bind /tmp "$tree/tmp"
  mkdir -p "$tree$root"
  mount --bind "$root" "$tree$root"
  mount --bind "$tree/builds$root" "$tree$root/build"
  enter=(chroot "$tree" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" DEBIAN_FRONTEND=noninteractive
    XDG_RUNTIME_DIR=/run PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  if [[ $update == yes ]]; then "${enter[@]}" apt-get -qq update; fi
  exec "${enter[@]}" bash -c "cd \"\$1\" && shift && exec \"\$@\"" in-tree "$root" "$@"
' debian-tree "$@"
