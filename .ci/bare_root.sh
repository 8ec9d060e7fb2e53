#!/usr/bin/env bash
# A root that holds a release of Debian or Ubuntu with git and certificates and nothing else, to see what a
# reader sees who begins with a bare machine. Sourced by .ci/run.

# bare_root SUITE FOLDER: makes it from the archive that apt's own sources name, each time anew, with a clean
# clone of HEAD in /tutorial. Where it cannot be had: a line "left out: ..." and status 77.
bare_root() {
  local suite=$1 root=$2 archive sources
  without() { echo "left out: $*"; exit 77; }
  [ "$(id -u)" = 0 ] || without "only root can make one"
  command -v debootstrap >/dev/null || without "there is no debootstrap here"
  rm -rf --one-file-system "$root" && mkdir -p "$root/proc" "$root/dev" || return 1
  root=$(cd "$root" && pwd)
  bare_namespace sh -c "mount -t proc proc '$root/proc' && mount --rbind /dev '$root/dev' && chroot / true" ||
    without "mounts and chroot are not permitted here"
  sources=$(bare_sources "$suite")
  archive=$(sed -n "s/^deb \([^ ]*\) $suite main\$/\1/p" <<<"$sources" | head -n 1)
  [ -n "$archive" ] || without "apt's sources here have no $suite"
  debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$root" "$archive" || return 1
  bare_network "$root" "$sources"
  git clone --quiet . "$root/tutorial"
}

# As lines of a sources.list, without the keys: the new root has those of its release.
bare_sources() {
  local format="deb \$(REPO_URI) \$(RELEASE) \$(COMPONENT)"
  [ -n "$(apt-get indextargets)" ] || apt-get update >/dev/null
  apt-get indextargets --format "$format" 'Created-By: Packages' | sed -nE "/ $1(-updates|-security)? main\$/p" | sort -u
}

# How this machine reaches its registries, and nothing else of it.
bare_network() {
  local root=$1 file
  printf '%s\n' "$2" >"$root/etc/apt/sources.list"
  apt-config dump | grep '^Acquire::' >"$root/etc/apt/apt.conf.d/99network"
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt $(bare_variables | cut -d = -f 2-); do
    if [ -f "$file" ]; then mkdir -p "$root$(dirname "$file")" && cp -L "$file" "$root$file"; fi
  done
  if [ -f ~/.config/pip/pip.conf ]; then mkdir -p "$root/root/.config/pip" && cp ~/.config/pip/pip.conf "$root/root/.config/pip"; fi
}

# NAME=value of proxies, certificates and pip's registry.
bare_variables() {
  env | grep -E '^(https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|SSL_CERT_FILE|PIP_(CERT|INDEX_URL|EXTRA_INDEX_URL|TRUSTED_HOST|PROXY)|GIT_SSL_CAINFO)='
}

# Mounts that are made in it vanish with it, so that nothing outside can be removed with the root.
bare_namespace() { unshare --mount --propagation private --pid --fork --kill-child "$@"; }

# bare_run ROOT FOLDER command...: runs it there, with an environment as a login has it.
bare_run() {
  local variables=()
  mapfile -t variables < <(bare_variables)
  # shellcheck disable=SC2016
  bare_namespace sh -c '
    root=$1
    shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
      exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
  ' sh "$1" "${variables[@]}" sh -c 'cd "$0" && exec "$@"' "$2" "${@:3}"
}
