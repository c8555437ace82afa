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
node "$here/prepare.mjs" "$work/init.gguf" "$work/train.bin" 38000 20
# One thread in each of the two worker processes.
OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 "$python" "$here/train.py" train "$work/tokenizer.json" "$work/train.bin" \
  "$work/tiny-agent.gguf" --steps 4900 --seed 1 --log "$work/train.log" --checkpoint "$work/checkpoint.pt"
node "$here/evaluate.mjs" --model "$work/tiny-agent.gguf"
cp "$work/tiny-agent.gguf" "$here/../tiny-agent.gguf"
