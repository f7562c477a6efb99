# Sourced by ./xylem and ./test. `prepare GROUP` makes .venv fit to run GROUP ("core" or "dev") and returns at once
# when it is already fit.
#
# Invariant: .venv/.ready-GROUP holds the fingerprint of what GROUP was installed from (this folder's path, the Python
# behind the environment, pyproject.toml, constraints.txt), and is written last. While the environment is being made and
# packages are being installed, .venv/.unfinished exists: an environment found with it was interrupted halfway and is
# made anew. While .venv/.cold exists, kernels have still to be compiled; without it they are compiled when they are
# first used, should they have changed. Everything is said on standard error, so that the commands' own output stays
# clean.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/.venv
python=$venv/bin/python
setup_log=$venv/setup.log

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "xylem: $1"
  shift
  for line in "$@"; do say "       $line"; done
  exit 1
}

fingerprint() { # what the environment is made from; a moved checkout or an upgraded Python has another one
  printf '%s %s %s' "$root" "$(readlink -f "$python")" "$(cat "$root/pyproject.toml" "$root/constraints.txt" | cksum)"
}

ready() { # GROUP: whether .venv was completely set up for it; who may not write there takes it cold
  installed "$1" && [[ ! -e $venv/.cold || ! -w $venv ]]
}

installed() { # GROUP: whether its packages are there; nothing is said of the kernels
  [[ -x $python && -f $venv/.ready-$1 && ! -e $venv/.unfinished && $(<"$venv/.ready-$1") == "$(fingerprint)" ]]
}

prepare() { # GROUP
  if ready "$1"; then return; fi
  # One set-up at a time; the lock ends with the process. Where there is no flock, two at once are the user's care.
  exec 9<"$root/constraints.txt"
  if command -v flock >/dev/null && ! flock --nonblock 9; then
    say "xylem: another set-up is under way in this folder; waiting for it …"
    flock 9
  fi
  trap interrupted INT TERM
  if ! ready "$1"; then set_up "$1"; fi
  trap - INT TERM
  exec 9<&-
}

set_up() { # GROUP
  local started=$SECONDS extra=""
  [[ $1 == core ]] || extra="[$1]"
  [[ -w $root ]] || fail "cannot set up: $root is read-only for $(id -un)" \
    "Clone the project into a folder of your own, or let the folder's owner run it once."
  say "xylem: setting up .venv; this happens once and takes two minutes or so"
  if [[ -d $venv ]] && ! usable; then
    say "  · the environment found here is unfinished or was made elsewhere: starting it over"
    rm -rf "$venv" || fail "cannot remove $venv"
  fi
  if [[ ! -d $venv ]]; then
    find_python
    say "  · making .venv with $("$base_python" --version) ($base_python)"
    mkdir "$venv" && : >"$venv/.unfinished" || fail "cannot write into $root (is the disk full?)"
    "$base_python" -m venv "$venv" >/dev/null 2>"$setup_log" || failed_venv
  fi
  if ! installed "$1"; then
    # Taken before installing: what changes meanwhile has not been installed.
    local made_from
    made_from=$(fingerprint)
    : >"$venv/.unfinished" || fail "cannot write into $venv (is the disk full, or is it another user's?)"
    : >"$setup_log"
    install setuptools
    install --no-build-isolation --editable "$root$extra"
    # Every group contains the core.
    printf '%s' "$made_from" >"$venv/.ready-core" && printf '%s' "$made_from" >"$venv/.ready-$1" && : >"$venv/.cold" &&
      rm -f "$venv/.unfinished" || fail "cannot write into $venv (is the disk full?)"
  fi
  warm
  rm -f "$venv/.cold"
  say "xylem: set up in $((SECONDS - started)) s"
}

warm() { # compiles the kernels that are not in the cache now, so that nobody waits for them later
  if ! "$python" -P -m xylem.matching.warming >&2 2>"$venv/warming.log"; then
    say "  · the kernels could not be compiled; the reason is in $venv/warming.log"
  fi
}

interrupted() {
  say "xylem: the set-up was interrupted; the next start goes on with it"
  exit 130
}

usable() { # whether the environment found can be built upon
  [[ ! -e $venv/.unfinished ]] || return 1
  "$python" -m pip --version >/dev/null 2>&1 || return 1
  # Its editable install and its scripts name the folder it was made in.
  local ready line
  for ready in "$venv"/.ready-*; do
    [[ -f $ready ]] || continue
    line=$(<"$ready")
    [[ $line == "$root "* ]] || return 1
  done
  return 0
}

install() { # pip's words, shortened to what a person wants to see; all of them are kept in setup.log
  local line status
  PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PYTHONUNBUFFERED=1 \
    "$python" -m pip install --no-color --progress-bar off -c "$root/constraints.txt" "$@" 2>&1 |
    while IFS= read -r line; do
      printf '%s\n' "$line" >>"$setup_log"
      case $line in
        *.metadata*) ;;
        *Retrying*) say "  · the package index does not answer; trying again" ;;
        *Downloading*.whl* | *Downloading*.tar.gz*) line=${line##*/} && say "  · downloading ${line#*Downloading }" ;;
        "Installing collected packages"*) line=${line//[^,]/} && say "  · installing packages: $((${#line} + 1))" ;;
      esac
    done
  status=${PIPESTATUS[0]}
  if ((status != 0)); then explain_failure; fi
}

explain_failure() {
  local why="the packages could not be installed"
  # pip fetches everything before it changes anything: a failure before that leaves the environment as it was.
  grep -q '^Installing collected packages' "$setup_log" || rm -f "$venv/.unfinished"
  if grep -qi 'no space left' "$setup_log"; then
    why="the disk is full"
  elif grep -qiE 'name resolution|failed to establish a new connection|network is unreachable|connection (refused|reset)|timed out|proxyerror' "$setup_log"; then
    why="the package index cannot be reached (no network, or a proxy that pip is not told of)"
  elif grep -qi 'no matching distribution' "$setup_log"; then
    why="the package index does not offer a version that is needed (python is $("$python" --version 2>&1))"
  elif grep -qi 'permission denied' "$setup_log"; then
    why="some file below .venv belongs to another user"
  fi
  grep -iE '^ *error' "$setup_log" | tail -n 3 | sed 's/^/         /' >&2
  fail "cannot set up: $why" "The whole log is in $setup_log. Run the command again when it is mended; it starts over where it must."
}

find_python() { # sets base_python: a Python from 3.11 on that can make virtual environments
  local candidate
  if try_pythons; then return; fi
  if command -v apt-get >/dev/null; then
    local as_root=()
    if [[ $(id -u) != 0 ]]; then as_root=(sudo -n); fi
    if [[ $(id -u) == 0 ]] || sudo -n true 2>/dev/null; then
      say "  · installing python3 and python3-venv with apt-get"
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update >/dev/null 2>&1 || true
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3 python3-venv \
        >/dev/null 2>"$root/.apt-error" || true
      hash -r
      if try_pythons; then rm -f "$root/.apt-error"; return; fi
      [[ -s $root/.apt-error ]] && tail -n 3 "$root/.apt-error" >&2
      rm -f "$root/.apt-error"
    fi
  fi
  fail "needs Python 3.11 or later with its venv module, and found none" \
    "On Debian or Ubuntu:  sudo apt-get install python3 python3-venv" \
    "Another Python can be named:  XYLEM_PYTHON=/path/to/python3.12 ./xylem"
}

try_pythons() {
  for candidate in ${XYLEM_PYTHON:+"$XYLEM_PYTHON"} python3 python3.11 python3.12 python3.13 python3.14 /usr/bin/python3; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      base_python=$(command -v "$candidate")
      return 0
    fi
  done
  return 1
}

failed_venv() {
  tail -n 3 "$setup_log" >&2
  rm -rf "$venv"
  fail "cannot make a virtual environment in $venv"
}
