#!/usr/bin/env bash
# Runs a command in this folder on a system that has only Node, npm, CMake, g++, git and make:
#     scripts/test/bare.sh [--with PACKAGE]... sh -c "npm ci && npm test"
# The system is a chroot folder with the files of Debian packages that are installed here; this folder is mounted into
# it. The exit code is the command's, or 125 if no such system can be created here. Must not: install or download
# anything.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$(pwd -P)

cannot() {
  echo "bare: $1" >&2
  exit 125
}

packages=(cmake g++ make git ca-certificates)
while [ "${1:-}" = --with ]; do
  packages+=("$2")
  shift 2
done
command -v dpkg-query apt-cache >/dev/null || cannot "only made of Debian packages"
own_mounts=(unshare --mount)
[ "$(id -u)" = 0 ] || own_mounts+=(--map-root-user)
"${own_mounts[@]}" true 2>/dev/null || cannot "mounting is not allowed here"

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT # the mounts have gone with the command's namespace

# Essential packages and these packages, with everything that they depend on.
needed() {
  dpkg-query --show --showformat '${Package} ${Essential} ${Priority}\n' | sed -nE 's/^(\S+) (yes .*|\S* ?required)$/\1/p'
  local no=(--no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances)
  apt-cache depends --recurse --installed "${no[@]}" "${packages[@]}" | grep '^\w'
}
# Node's files come from its prefix: Node's packages differ, and some include more than Node.
node=$(readlink -f "$(command -v node)")
prefix=$(dirname "$(dirname "$node")")
mkdir -p "$root"/{proc,sys,dev,run,var/tmp,usr/{bin,sbin,lib,lib64}}
for link in /bin /sbin /lib /lib64; do [ ! -L "$link" ] || cp -a "$link" "$root/"; done
{ # not all that is named is installed
  needed | sort -u | xargs dpkg-query --listfiles 2>/dev/null | grep -Ev '^/usr/share/(doc|man|info|locale)/' || true
  find "$prefix"/{bin/{node,npm,npx},lib/node_modules/npm,include/node} 2>/dev/null || true
} | sort -u | while read -r file; do [ -d "$file" ] && [ ! -L "$file" ] || [ ! -e "$file" ] || echo "${file#/}"; done |
  tar -C / --create --no-recursion --files-from - | tar -C "$root" --extract --keep-directory-symlink
cp -a /etc "$root/"
# Alternative names of commands (cc, c++, awk) whose target is present.
find /usr/bin -maxdepth 1 -type l -lname '/etc/alternatives/*' | while read -r link; do
  [ ! -e "$root$(readlink -f "$link")" ] || cp -a "$link" "$root$link"
done
mkdir -m 1777 "$root/tmp" # first: this folder may be in it
mkdir -p "$root$HOME" "$root$here"
for file in .npmrc .gitconfig; do [ ! -e "$HOME/$file" ] || cp "$HOME/$file" "$root$HOME/"; done
cache=$(npm config get cache 2>/dev/null)
mkdir -p "$cache" "$root$cache"

status=0
root=$root here=$here cache=$cache "${own_mounts[@]}" bash -c '
  set -e
  for folder in /proc /sys /dev "$cache" "$here"; do mount --rbind "$folder" "$root$folder"; done
  chroot "$root" ldconfig
  exec chroot "$root" env --unset=TMPDIR --unset=root --unset=cache --chdir="$here" "$@"' bare "$@" || status=$?
exit $status
