#!/usr/bin/env bash
# Builds attnscope_VERSION_ARCH.deb and attnscope-VERSION-Linux.tar.gz with cpack into build/packages, and tries both:
# the archive from a folder of its own, the package's files from where they are unpacked, cmake --install to a prefix.
#   scripts/package.sh              builds and tries them
#   scripts/package.sh --install    also installs the .deb on this machine, opens a session from its application entry in
#                                   a virtual display, removes it again and looks for what it left behind (root; on a
#                                   machine, or in a tree, that may be changed: scripts/debian-tree.sh)
# The same commit gives the same bytes in every fresh clone, with the same compiler and libraries: SOURCE_DATE_EPOCH
# (seconds) is the date of the commit where it is not set. A build folder that scripts/run.sh made gives others.
# It warns of nothing that a newer compiler finds: the packages are built without warnings as errors.
set -euo pipefail
# shellcheck source=scripts/help.sh
source "$(dirname "${BASH_SOURCE[0]}")/help.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=scripts/packages.sh
source scripts/packages.sh
install_packages package
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
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$work"' EXIT
# try FOLDER: its programs run, with a home of their own and no display.
try() {
  HOME=$work "$1/bin/attnscope-cli" try model:storyteller >/dev/null
  HOME=$work "$1/bin/attnscope" --screenshot "$work/picture.png" >/dev/null
  [[ $(head -c 8 "$work/picture.png" | od -An -tx1 | tr -d ' \n') == 89504e470d0a1a0a ]]
  rm "$work/picture.png"
  for page in attnscope attnscope-cli; do gzip -dc "$1/share/man/man1/$page.1.gz" | grep '^\.SH HELP' >/dev/null; done  # to its end
}
mkdir "$work/deb" "$work/archive"
dpkg-deb -x "$deb" "$work/deb"
try "$work/deb/usr"
tar -xzf "$archive" -C "$work/archive" --strip-components=1
try "$work/archive"
# A prefix of one's own, and gone again by the list of what was installed, as the handbook says it.
cmake --install "$build" --prefix "$work/prefix" >/dev/null
try "$work/prefix"
xargs -d '\n' rm -f <"$build/install_manifest.txt"
left=$(find "$work/prefix" -type f)
if [[ -n $left ]]; then echo "package: install_manifest.txt does not name $left" >&2; exit 1; fi
if [[ ${1:-} == --install ]]; then install_packages entry; fi
if command -v desktop-file-validate >/dev/null; then desktop-file-validate "$work/deb/usr/share/applications/attnscope.desktop"; fi
if command -v appstreamcli >/dev/null; then
  # Newer ones want a page on the net, which it has not; older ones do not know that tag.
  about=("$work"/deb/usr/share/metainfo/*.xml)
  appstreamcli validate --no-net "${about[@]}" >"$work/appstream" 2>&1 ||
    appstreamcli validate --no-net --override=url-homepage-missing=info "${about[@]}" >"$work/appstream" 2>&1 ||
    { cat "$work/appstream" >&2; exit 1; }
fi

# Everything that lies in the system's folders, but for what the package manager keeps for itself.
system_files() {
  find /usr /etc /opt /var/lib -xdev \( -path /var/lib/dpkg -o -path /var/lib/apt \) -prune -o -print | sort
}

# opened_from_entry FILE: the window that the desktop opens for a file of this kind, from the application entry alone.
opened_from_entry() {
  local ready number window kind pid
  exec {ready}< <(exec Xvfb -displayfd 1 -screen 0 1280x720x24 -nolisten tcp -noreset 2>/dev/null)
  server=$!
  read -r number <&"$ready"
  local -x DISPLAY=:$number HOME=$work XDG_RUNTIME_DIR=$work
  kind=$(gio info -a standard::content-type "$1" | sed -n 's/.*content-type: //p')
  [[ $kind == application/x-attnscope-session ]] || { echo "package: $1 is $kind for the desktop" >&2; return 1; }
  gio mime "$kind" | grep attnscope.desktop >/dev/null || { echo "package: nothing opens $kind" >&2; return 1; }
  gio launch /usr/share/applications/attnscope.desktop "$1"
  window=$(timeout 120 xdotool search --sync --onlyvisible --class attnscope | head -n 1)
  [[ -n $window ]] || { echo "package: no window opened" >&2; return 1; }
  xdotool getwindowname "$window"
  pid=$(xdotool getwindowpid "$window")
  [[ $(readlink "/proc/$pid/exe") == /usr/bin/attnscope ]] || { echo "package: it is another program" >&2; return 1; }
  tr '\0' '\n' <"/proc/$pid/cmdline" | grep -Fx -- "$1" >/dev/null || { echo "package: without $1" >&2; return 1; }
  kill "$pid"
  tail --pid="$pid" -f /dev/null
  kill "$server"
  server=
  exec {ready}<&-
}

if [[ ${1:-} == --install ]]; then
  HOME=$work "$work/deb/usr/bin/attnscope" --save-session "$work/a.attnscope"
  system_files >"$work/before"
  apt-get install -y -qq --no-install-recommends "$deb" >"$work/apt" 2>&1 || { tail -n 20 "$work/apt" >&2; exit 1; }
  files=$(dpkg -L attnscope | wc -l)
  for index in "update-mime-database /usr/share/mime" "update-desktop-database"; do $index; done  # where no trigger did
  opened_from_entry "$work/a.attnscope" >"$work/title"
  title=$(<"$work/title")
  dpkg --purge attnscope >/dev/null
  for index in "update-mime-database /usr/share/mime" "update-desktop-database"; do $index; done
  system_files >"$work/after"
  if ! diff "$work/before" "$work/after" >&2; then echo "package: it left the above" >&2; exit 1; fi
  echo "installed ($files files and folders), opened a session from its application entry (\"$title\"), removed without a trace"
fi
rm -rf "$out/_CPack_Packages"
for file in "$deb" "$archive"; do printf '%s  %s\n' "$(du -h "$file" | cut -f1)" "${file#"$root"/}"; done
