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
# One thread in each of the two worker processes. Two legs: the second takes up the first where that has ended, with the
# learning rate of a longer training, which rises again and falls once more.
train() {
  OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 "$python" "$here/train.py" train "$work/tokenizer.json" "$work/train.bin" \
    "$work/tiny-agent.gguf" --seed 1 --checkpoint "$work/checkpoint.pt" "$@"
}
train --steps 3600 --log "$work/train-1.log"
train --steps 4900 --log "$work/train-2.log" --resume "$work/checkpoint.pt"
node "$here/evaluate.mjs" --model "$work/tiny-agent.gguf"
cp "$work/tiny-agent.gguf" "$here/../tiny-agent.gguf"
