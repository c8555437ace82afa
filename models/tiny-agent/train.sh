#!/bin/sh
# Makes models/tiny-agent.gguf from nothing: sh models/tiny-agent/train.sh [work folder]
# Needs the built engine (npm run build) and a Python with PyTorch (PYTHON, Debian: python3-torch libopenblas0-pthread).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$here/build}
python=${PYTHON:-/usr/bin/python3}
mkdir -p "$work"

node "$here/tokenizer.mjs" "$work/tokenizer.json" 768
"$python" "$here/train.py" init "$work/tokenizer.json" "$work/init.gguf"
# Half of the conversations in each of two processes, and one thread in each of the two that train.
node "$here/prepare.mjs" "$work/init.gguf" "$work/train-20.bin" 70000 20 &
other=$!
node "$here/prepare.mjs" "$work/init.gguf" "$work/train-21.bin" 70000 21
wait $other
cat "$work/train-20.bin" "$work/train-21.bin" > "$work/train.bin"
if grep -qs avx512_bf16 /proc/cpuinfo; then bf16=--bf16; else bf16=; fi
OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 "$python" "$here/train.py" train "$work/tokenizer.json" "$work/train.bin" \
  "$work/tiny-agent.gguf" --steps 9000 --seed 1 $bf16 --log "$work/train.log" --checkpoint "$work/checkpoint.pt"
node "$here/evaluate.mjs" --model "$work/tiny-agent.gguf"
cp "$work/tiny-agent.gguf" "$here/../tiny-agent.gguf"
