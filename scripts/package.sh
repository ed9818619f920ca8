#!/usr/bin/env bash
# Builds attnscope_VERSION_ARCH.deb and attnscope-VERSION-Linux.tar.gz with cpack into build/packages, and tries both:
# the archive from a folder of its own, the package's files from where they are unpacked.
#   scripts/package.sh              builds and tries them
#   scripts/package.sh --install    also installs the .deb on this machine, starts it from its application entry, and
#                                   removes it again (root; on a machine, or in a tree, that may be changed)
# With SOURCE_DATE_EPOCH set (seconds) the same source gives the same bytes; by default it is the date of the commit.
# It warns of nothing that a newer compiler finds: the packages are built without warnings as errors.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=scripts/packages.sh
source scripts/packages.sh
install_packages build
if [[ -z ${SOURCE_DATE_EPOCH:-} ]]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
fi
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8
build=$root/build/release out=$root/build/packages
if [[ ! -f $build/build.ninja ]]; then
  cmake --preset release -DATTNSCOPE_TESTS=OFF -DATTNSCOPE_BENCH=OFF -DATTNSCOPE_WERROR=OFF --log-level=WARNING >/dev/null
fi
ninja -C "$build" --quiet attnscope attnscope-cli
rm -rf "$out"
(cd "$build" && cpack -B "$out" >"$build/cpack.log") || { tail -n 20 "$build/cpack.log" >&2; exit 1; }
deb=$(echo "$out"/*.deb) archive=$(echo "$out"/*.tar.gz)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# try FOLDER: its programs run, with a home of their own and no display.
try() {
  HOME=$work "$1/bin/attnscope-cli" try model:storyteller >/dev/null
  HOME=$work "$1/bin/attnscope" --screenshot "$work/picture.png" >/dev/null
  [[ $(head -c 8 "$work/picture.png" | od -An -tx1 | tr -d ' \n') == 89504e470d0a1a0a ]]
  rm "$work/picture.png"
  for page in attnscope attnscope-cli; do gzip -dc "$1/share/man/man1/$page.1.gz" | grep -q '^\.SH HELP'; done
}
mkdir "$work/deb" "$work/archive"
dpkg-deb -x "$deb" "$work/deb"
try "$work/deb/usr"
tar -xzf "$archive" -C "$work/archive" --strip-components=1
try "$work/archive"
if command -v desktop-file-validate >/dev/null; then desktop-file-validate "$work/deb/usr/share/applications/attnscope.desktop"; fi
if command -v appstreamcli >/dev/null; then
  appstreamcli validate --no-net "$work"/deb/usr/share/metainfo/*.xml >"$work/appstream" || { cat "$work/appstream" >&2; exit 1; }
fi

if [[ ${1:-} == --install ]]; then
  apt-get install -y -qq --no-install-recommends "$deb" >"$work/apt" 2>&1 || { tail -n 20 "$work/apt" >&2; exit 1; }
  mapfile -t files < <(dpkg -L attnscope)
  command=$(sed -n 's/^Exec=\([^ ]*\).*/\1/p' /usr/share/applications/attnscope.desktop)
  HOME=$work "$command" --screenshot "$work/picture.png" >/dev/null
  dpkg --purge attnscope >/dev/null
  for file in "${files[@]}"; do
    if [[ -f $file ]]; then echo "package: $file is still there after removing it" >&2; exit 1; fi
  done
  echo "installed, started and removed: ${#files[@]} files and folders"
fi
rm -rf "$out/_CPack_Packages"
for file in "$deb" "$archive"; do printf '%s  %s\n' "$(du -h "$file" | cut -f1)" "${file#"$root"/}"; done
