#!/usr/bin/env bash
# Runs the benchmarks on an NVIDIA card: builds the CUDA backend for that card from the bundle of llama.cpp, then calls
# bench/run.mjs. Must not: download anything, or change the card's settings.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/build/gpu
module=$out/libggml-cuda.so
models=$root/build/bench-models

usage() {
  cat <<'HELP'
bench/gpu.sh [build|run|configure|check] [options]
  build       builds the CUDA backend (build/gpu/libggml-cuda.so), the addon and the plain loop; only what is out of
              date
  run         measures what was built: fills the card until ON_VRAM_PRESSURE fires (bench/gpu/pressure.mjs), then the
              table of targets, as bench/run.mjs does without a GPU
  configure   prepares the build of the CUDA backend, to see that CMake and nvcc can do it
  check       says what is missing for both
  Without a word: build, then run.

For build:
  --arch N       compute capability to build for, as in 9.0; then no card is needed (that of the card in this machine)
  --jobs N       compilers at once (as many as there are cores, and 2 GiB of free memory for each)
  --cublas DIR   folder with include/ and lib/ of cuBLAS, if the CUDA toolkit has none (that of Python's packages)

For run, as in node bench/run.mjs --help:
  --models A,B   (1.1b,8b; without 8b on a card with less than 7 GiB)
  --rows P1,P9  --tokens N  --threads N  --json F  --html F  --quick  --strict
Results go to bench/results/<day>-<card>.json and .html, those of some rows or a quick run only where --json and --html
say.

Of several cards the first is used, or the one that CUDA_VISIBLE_DEVICES names, in the order of nvidia-smi.
The synthetic models are written to build/bench-models in seconds, 0.6 GB and 4.5 GB, and kept.
The first build is 143 files of CUDA, some seconds to a minute each; one that was stopped goes on where it was. A run
of all rows takes about 20 minutes: where that is too long at once, take --models or --rows in turn.
HELP
}

problems=()
problem() { problems+=("$1"); }

stop() {
  echo "bench/gpu.sh: $1" >&2
  exit "${2:-1}"
}

say() { echo "== $1" >&2; }

stop_at_problems() {
  ((${#problems[@]} > 0)) || return 0
  echo "bench/gpu.sh: this machine lacks what it takes to $1 here:" >&2
  printf '  - %s\n' "${problems[@]}" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# A property of the card, by nvidia-smi's name for it; empty if there is none.
card() {
  nvidia-smi --id="$CUDA_VISIBLE_DEVICES" --query-gpu="$1" --format=csv,noheader,nounits 2>/dev/null | head -n 1 || true
}

has_card() { has nvidia-smi && nvidia-smi --id="$CUDA_VISIBLE_DEVICES" --query-gpu=name --format=csv >/dev/null 2>&1; }

check_project() {
  if [[ $(uname -s) != Linux ]]; then
    problem "CUDA is measured on Linux only, this is $(uname -s)"
  fi
  local wanted="Node.js 20.19 or newer"
  if ! has node; then
    problem "$wanted was not found: https://nodejs.org/en/download"
  elif ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'; then
    problem "$wanted is needed, found $(node --version)"
  fi
  if [[ ! -d $root/node_modules/node-llama-cpp || ! -x $root/node_modules/.bin/tsc ]]; then
    problem "the project's packages are not installed: npm ci, in $root"
  fi
}

check_card() {
  local advice="its driver brings that (https://www.nvidia.com/drivers, or apt-get install nvidia-driver); a container is started with --gpus all"
  if ! has nvidia-smi; then
    problem "no NVIDIA card can be reached, nvidia-smi was not found: $advice"
  elif ! has_card; then
    problem "no NVIDIA card can be reached, nvidia-smi says: $({ nvidia-smi --id="$CUDA_VISIBLE_DEVICES" 2>&1 || true; } | head -n 1)"
  fi
}

# Sets `nvcc`, from CUDACXX, PATH, and the usual places of toolkits.
find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" "${CUDA_PATH:-}/bin/nvcc" \
    /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc; do
    if [[ -n $candidate && -x $candidate ]]; then
      nvcc=$candidate
      return
    fi
  done
  nvcc=
}

# Sets `arch`, for example 90 for compute capability 9.0, and checks that nvcc supports it.
find_arch() {
  [[ -n $arch ]] || arch=$(card compute_cap)
  arch=${arch//./}
  if [[ ! $arch =~ ^[0-9]{2,3}[af]?$ ]]; then
    problem "the card's compute capability is not known: name it with --arch, as in --arch 9.0 (https://developer.nvidia.com/cuda-gpus)"
  elif [[ -n $nvcc ]] && ! "$nvcc" --list-gpu-code 2>/dev/null | grep -q "^sm_${arch%[af]}$"; then
    problem "the CUDA toolkit $(cuda_version) has no code for compute capability $arch: another toolkit is needed, named with CUDACXX=/path/to/nvcc"
  fi
}

cuda_version() { "$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

check_build() {
  has cmake || problem "CMake 3.19 or newer was not found: apt-get install cmake"
  has ninja || has make || problem "neither ninja nor make was found: apt-get install ninja-build"
  find_nvcc
  if [[ -z $nvcc ]]; then
    problem "nvcc was not found: install the CUDA toolkit (https://developer.nvidia.com/cuda-downloads, or apt-get install nvidia-cuda-toolkit), or name it with CUDACXX=/path/to/nvcc"
  fi
  # Without a card, which is already reported, nothing more can be checked.
  if [[ -n $arch ]] || has_card; then find_arch; fi
}

# cuBLAS from Python's packages, for toolkits that are such packages and lack it.
pip_cublas() {
  has python3 || return 0
  python3 - "$(cuda_version | cut -d. -f1)" <<'PYTHON' 2>/dev/null || true
import glob, os, sys
for folder in sys.path:
    for library in glob.glob(f"{folder}/nvidia/*/lib/libcublas.so.{sys.argv[1]}"):
        package = os.path.dirname(os.path.dirname(library))
        if os.path.exists(f"{package}/include/cublas_v2.h"):
            sys.exit(print(package))
PYTHON
}

# nvcc takes up to 2 GiB per file.
default_jobs() {
  local cores gibs
  cores=$(nproc)
  gibs=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
  local fit=$((gibs / 2))
  ((fit >= 1)) || fit=1
  echo $((cores < fit ? cores : fit))
}

configure() {
  local generator=() source
  source=$(node "$root/scripts/build/llama-paths.mjs" --source)
  if has ninja; then generator=(-G Ninja); fi
  cmake -S "$root/bench/gpu" -B "$out" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="$arch-real" \
    -DLH_LLAMA="${LLAMA_HOOKS_LLAMA:-prebuilt}" -DLH_LLAMA_SOURCE_DIR="$source" \
    -DLH_CUBLAS_DIR="${cublas:-$(pip_cublas)}" >"$out/configure.log" 2>&1
}

explain_configure() {
  tail -n 30 "$out/configure.log" >&2
  if grep -q "unsupported GNU version\|unsupported clang version" "$out/configure.log"; then
    echo "nvcc $(cuda_version) wants an older C++ compiler: name one with CUDAHOSTCXX=g++-12, say" >&2
  elif grep -q "cuBLAS .* was not found\|cublas_v2.h" "$out/configure.log"; then
    echo "cuBLAS is missing: apt-get install libcublas-dev (libcublas-dev-12-8 and so on in NVIDIA's archive), or pip install nvidia-cublas, or --cublas DIR" >&2
  fi
  stop "CMake could not configure the CUDA backend; all it said is in $out/configure.log"
}

configure_or_stop() {
  mkdir -p "$out"
  if ! configure; then
    # A failure may be caused only by leftovers of another toolkit, generator or path of the project.
    rm -rf "$out/CMakeCache.txt" "$out/CMakeFiles"
    configure || explain_configure
  fi
}

build() {
  say "the addon and the plain loop"
  node "$root/scripts/build/addon.mjs" --bench
  npm run --silent --prefix "$root" build:ts
  say "the CUDA backend, CUDA $(cuda_version), compute capability $arch, ${jobs:=$(default_jobs)} compilers at once"
  configure_or_stop
  cmake --build "$out" --target ggml-cuda --parallel "$jobs"
  echo "$arch $(cuda_version)" >"$out/built"
  say "built $module"
}

check_built() {
  local file
  for file in "$module" "$out/built" "$root/build/Release/plain-loop" "$root/dist/bench/measure/child.js"; do
    [[ -e $file ]] || stop "${file#"$root/"} is not there: bench/gpu.sh build"
  done
  local of_card
  read -r arch cuda <"$out/built"
  of_card=$(card compute_cap)
  if [[ -n $of_card && ${arch%[af]} != "${of_card//./}" ]]; then
    stop "the CUDA backend is built for compute capability $arch, and the card has $of_card: bench/gpu.sh build"
  fi
}

choose_models() {
  if [[ -n $chosen_models ]]; then return; fi
  chosen_models=1.1b,8b
  local mib
  mib=$(card memory.total)
  if [[ $mib =~ ^[0-9]+$ ]] && ((mib < 7 * 1024)); then
    say "the 8B model is left out: the card has $mib MiB"
    chosen_models=1.1b
  fi
}

choose_files() {
  [[ $whole == yes ]] || return 0
  local name
  name=$root/bench/results/$(date -u +%F)-$(card name | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9]\+/-/g; s/^-//; s/-$//')
  run_options=(--json "$name.json" --html "$name.html" "${run_options[@]}")
}

# Adds up the sizes of the chosen models that are not written yet, in megabytes.
check_disk() {
  local needed=0 free
  if [[ ,$chosen_models, == *,1.1b,* && ! -e $models/1.1b-Q4_0.gguf ]]; then needed=$((needed + 650)); fi
  if [[ ,$chosen_models, == *,8b,* && ! -e $models/8b-Q4_0.gguf ]]; then needed=$((needed + 4600)); fi
  free=$(($(df -Pk "$root/build" | awk 'NR == 2 { print $4 }') / 1000))
  if ((free < needed)); then
    problem "the models take $needed MB of disk, $root/build has $free MB left: make room, or choose with --models 1.1b"
  fi
}

run() {
  say "measuring on $(card name)"
  # For node-llama-cpp's own module, which finds CUDA's libraries only on the system's search path.
  local libraries
  libraries=$(<"$out/library-path")
  export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  say "ON_VRAM_PRESSURE, by the card's own figures"
  node "$root/bench/gpu/pressure.mjs" --gpu cuda --module "$module"
  node "$root/bench/run.mjs" --gpu cuda --module "$module" --models "$chosen_models" \
    --with "CUDA=$cuda" --with "driver=$(card driver_version)" "${run_options[@]}"
}

step=all
arch=
jobs=
cublas=
chosen_models=
whole=yes
run_options=()
case ${1:-} in build | run | configure | check) step=$1 && shift ;; esac
while (($# > 0)); do
  case $1 in
    --arch | --jobs | --cublas | --models | --rows | --tokens | --threads | --json | --html)
      (($# > 1)) || stop "$1 takes a value" 2 ;;&
    --help | -h) usage && exit ;;
    --arch) arch=$2 && shift 2 ;;
    --jobs) jobs=$2 && shift 2 ;;
    --cublas) cublas=$2 && shift 2 ;;
    --models) chosen_models=$2 && shift 2 ;;
    --rows) whole=no && run_options+=("$1" "$2") && shift 2 ;;
    --tokens | --threads | --json | --html) run_options+=("$1" "$2") && shift 2 ;;
    --quick) whole=no && run_options+=("$1") && shift ;;
    --strict) run_options+=("$1") && shift ;;
    *) stop "unknown option $1; see bench/gpu.sh --help" 2 ;;
  esac
done
[[ -z $arch || $arch =~ ^[0-9]{1,2}\.?[0-9][af]?$ ]] || stop "--arch takes a compute capability, as in 9.0; got $arch" 2
[[ -z $jobs || $jobs =~ ^[1-9][0-9]*$ ]] || stop "--jobs takes a number from 1, got $jobs" 2
[[ $step != run || -z $arch$jobs$cublas ]] || stop "--arch, --jobs and --cublas are for building" 2

# Selects one card, the same for CUDA and nvidia-smi.
export CUDA_DEVICE_ORDER=PCI_BUS_ID
export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0}
CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES%%,*}

check_project
if [[ $step == build || $step == configure ]]; then
  [[ -n $arch ]] || check_card
else
  check_card
fi
if [[ $step != run ]]; then check_build; fi
stop_at_problems "$([[ $step == build || $step == configure ]] && echo build || echo measure)"
if [[ $step == check ]]; then
  say "nothing is missing: CUDA $(cuda_version) for compute capability $arch, $(card name)"
  exit
fi
if [[ $step == configure ]]; then
  configure_or_stop
  say "CMake has configured the CUDA backend in $out"
  exit
fi
if [[ $step != run ]]; then build; fi
if [[ $step != build ]]; then
  check_built
  choose_models
  choose_files
  check_disk
  stop_at_problems measure
  run
fi
