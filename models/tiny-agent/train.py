"""Trains tiny-agent on two CPU cores and writes the GGUF.

    train.py init  <tokenizer.json> <out.gguf>                        random weights, so that the engine can load it and tokenize
    train.py train <tokenizer.json> <data.bin> <out.gguf> [options]   --steps N --seed N --bf16 --log FILE --checkpoint FILE --resume FILE

A checkpoint comes with a GGUF beside it, to try the model while it trains. With --bf16 the matrix products are of 16-bit
numbers, which is twice as fast on a CPU that has instructions for it (avx512_bf16) and slower on others; weights, logits and
the loss stay 32-bit.

Two processes of one thread each take half of every batch and add their gradients up: on cores that are shared with other work
this is several times faster than two threads in one process, which wait for each other at every matrix product.
"""

import argparse
import json
import pathlib
import time

import numpy as np
import torch
import torch.multiprocessing as multiprocessing
import torch.nn.functional as F

from gguf_writer import model_metadata, model_tensors, write_gguf
from model import CONFIG, TinyAgent
from muon import Muon

HERE = pathlib.Path(__file__).parent
DESCRIPTION = "Chats a little and calls tools (calculator, weather, read_file). Bundled with llama-hooks for its demos and tests."
WORKERS = 2
BATCH_TOKENS = 3072  # of one worker
MATRIX_RATE, OTHER_RATE = 0.02, 0.004
WARMUP = 60
SEPARATOR, COUNTS = 0xFFFF, 0x8000
# Which answer or tool it will be is decided in the first tokens of a turn; copying makes up most of the others.
OPENING, OPENING_WEIGHT = 14, 3.0


def save(model, vocabulary, path):
    template = (HERE / "template.jinja").read_text(encoding="utf-8")
    write_gguf(path, model_metadata(model.config, vocabulary, template, DESCRIPTION), model_tensors(model))


def load_conversations(path):
    data = np.fromfile(path, dtype="<u2")
    ends = np.flatnonzero(data == SEPARATOR)
    starts = np.concatenate(([0], ends[:-1] + 1))
    return [data[a:b] for a, b in zip(starts, ends)]


def make_batches(conversations, random):
    """Conversations of like length together, so that padding is rare; batches of about equal work in random order."""
    pool = 2048
    order = random.permutation(len(conversations))
    for begin in range(0, len(order), pool):
        chunk = sorted(order[begin : begin + pool], key=lambda i: len(conversations[i]))
        batches, batch = [], []
        for i in chunk:
            if batch and (len(batch) + 1) * len(conversations[i]) > BATCH_TOKENS:
                batches.append(batch)
                batch = []
            batch.append(i)
        batches.append(batch)
        for k in random.permutation(len(batches)):
            yield [conversations[i] for i in batches[k]]


def endless_batches(conversations, random):
    while True:
        yield from make_batches(conversations, random)


def to_tensors(batch):
    length = max(len(c) for c in batch)
    padded = np.zeros((len(batch), length), dtype=np.int64)
    for row, conversation in enumerate(batch):
        padded[row, : len(conversation)] = conversation
    tokens = torch.from_numpy(padded & (COUNTS - 1))
    counts = (padded[:, 1:] & COUNTS) != 0
    so_far = counts.cumsum(1)
    in_turn = so_far - np.maximum.accumulate(np.where(counts, 0, so_far), axis=1)
    weights = np.where(in_turn <= OPENING, OPENING_WEIGHT, 1.0)[counts].astype(np.float32)
    wanted = torch.from_numpy(counts)
    return tokens[:, :-1], wanted, tokens[:, 1:][wanted], torch.from_numpy(weights)


def rate_at(step, steps):
    if step < WARMUP:
        return (step + 1) / WARMUP
    # Flat, then straight down to nothing over the last 60 %.
    return min(1.0, (steps - step) / (0.6 * steps))


def make_optimizers(model, bf16):
    matrices = [p for n, p in model.named_parameters() if p.dim() == 2 and "embd" not in n]
    others = [p for n, p in model.named_parameters() if p.dim() == 1 or "embd" in n]
    return [
        Muon(matrices, lr=MATRIX_RATE, weight_decay=0.01, bf16=bf16),
        torch.optim.AdamW(others, lr=OTHER_RATE, betas=(0.9, 0.98), weight_decay=0.0),
    ]


class Exchange:
    """Gradients of all workers in shared memory, with the weight of the targets they were summed over and the loss."""

    def __init__(self, parameters):
        self.slots = torch.zeros(WORKERS, sum(p.numel() for p in parameters) + 2).share_memory_()
        self.barrier = multiprocessing.get_context("fork").Barrier(WORKERS)

    def average(self, rank, parameters, loss, weight):
        """Leaves the mean gradient in every worker's parameters, bit for bit the same, and returns the mean loss."""
        mine = [p.grad.flatten() for p in parameters] + [torch.tensor([weight, loss])]
        torch.cat(mine, out=self.slots[rank])
        self.barrier.wait()
        total = self.slots.sum(0)
        self.barrier.wait()
        at, count = 0, total[-2]
        for p in parameters:
            p.grad.copy_(total[at : at + p.numel()].view_as(p) / count)
            at += p.numel()
        return (total[-1] / count).item()


def make_log(rank, options):
    file = open(options.log, "w") if options.log and rank == 0 else None

    def log(line):
        if rank == 0:
            print(line, flush=True)
        if file:
            print(line, file=file, flush=True)

    return log


def resume(options, model, optimizers):
    """Takes up a checkpoint; returns the number of the first step to do."""
    state = torch.load(options.resume)
    model.load_state_dict(state["model"])
    for optimizer, saved in zip(optimizers, state["optimizers"]):
        optimizer.load_state_dict(saved)
    return state["step"]


def work(rank, model, exchange, options, vocabulary):
    torch.set_num_threads(1)
    random = np.random.default_rng([options.seed, rank])
    conversations = load_conversations(options.data)[rank::WORKERS]
    parameters = list(model.parameters())
    optimizers = make_optimizers(model, options.bf16)
    log = make_log(rank, options)
    began, seen, smooth = time.time(), 0, None
    first = resume(options, model, optimizers) if options.resume else 0
    for step, batch in enumerate(endless_batches(conversations, random)):
        if step < first:
            continue
        if step == options.steps:
            break
        tokens, wanted, targets, weights = to_tensors(batch)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=options.bf16):
            states = model(tokens, wanted)
        loss = F.cross_entropy(model.logits(states), targets, reduction="none") @ weights
        loss.backward()
        mean = exchange.average(rank, parameters, loss.item(), weights.sum().item())
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = group.setdefault("peak", group["lr"]) * rate_at(step, options.steps)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        seen += WORKERS * tokens.numel()
        smooth = mean if smooth is None else 0.95 * smooth + 0.05 * mean
        if step % 20 == 19 or step + 1 == options.steps:
            elapsed = time.time() - began
            log(f"step {step + 1} loss {smooth:.4f} tokens {seen} {seen / elapsed:.0f} tok/s {elapsed:.0f} s")
        if rank == 0 and options.checkpoint and step % 100 == 99:
            state = {"step": step + 1, "model": model.state_dict(), "optimizers": [o.state_dict() for o in optimizers]}
            torch.save(state, options.checkpoint)
            save(model, vocabulary, pathlib.Path(options.checkpoint).with_suffix(".gguf"))
    if rank == 0:
        save(model, vocabulary, options.out)


def train(options, vocabulary):
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    model = TinyAgent({**CONFIG, "vocab": len(vocabulary["tokens"])})
    exchange = Exchange(list(model.parameters()))
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=work, args=(rank, model, exchange, options, vocabulary)) for rank in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        if worker.exitcode != 0:
            raise SystemExit(f"a worker ended with {worker.exitcode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    init = commands.add_parser("init")
    init.add_argument("tokenizer")
    init.add_argument("out")
    run = commands.add_parser("train")
    run.add_argument("tokenizer")
    run.add_argument("data")
    run.add_argument("out")
    run.add_argument("--steps", type=int, default=2200)
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--bf16", action="store_true")
    run.add_argument("--log")
    run.add_argument("--checkpoint")
    run.add_argument("--resume")
    options = parser.parse_args()
    vocabulary = json.loads(pathlib.Path(options.tokenizer).read_text(encoding="utf-8"))
    if options.command == "init":
        torch.manual_seed(0)
        save(TinyAgent({**CONFIG, "vocab": len(vocabulary["tokens"])}), vocabulary, options.out)
    else:
        train(options, vocabulary)


if __name__ == "__main__":
    main()
