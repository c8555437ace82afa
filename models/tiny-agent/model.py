"""The llama architecture in PyTorch, at the size of tiny-agent. Must compute what llama.cpp computes from the same tensors."""

import math

import torch
import torch.nn.functional as F
from torch import nn

CONFIG = {
    "vocab": 768,
    "context": 4096,
    "width": 192,
    "layers": 5,
    "heads": 6,
    "hidden": 512,
    "rope_base": 10000.0,
    "norm_eps": 1e-5,
}


class RMSNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


def rope_table(config):
    size = config["width"] // config["heads"]
    rates = config["rope_base"] ** (-torch.arange(0, size, 2).float() / size)
    angles = torch.outer(torch.arange(config["context"]).float(), rates)
    return torch.polar(torch.ones_like(angles), angles)


def rotate(x, turn):
    # llama.cpp's llama architecture rotates neighbouring pairs (2i, 2i+1), not the two halves of a head:
    # a pair is a complex number, and one complex product is the quickest rotation on a CPU.
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * turn).flatten(-2)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, hidden = config["width"], config["hidden"]
        self.heads = config["heads"]
        self.attn_norm = RMSNorm(width, config["norm_eps"])
        self.attn_q = nn.Linear(width, width, bias=False)
        self.attn_k = nn.Linear(width, width, bias=False)
        self.attn_v = nn.Linear(width, width, bias=False)
        self.attn_output = nn.Linear(width, width, bias=False)
        self.ffn_norm = RMSNorm(width, config["norm_eps"])
        self.ffn_gate = nn.Linear(width, hidden, bias=False)
        self.ffn_up = nn.Linear(width, hidden, bias=False)
        self.ffn_down = nn.Linear(hidden, width, bias=False)

    def attend(self, x, turn, hide):
        batch, length, width = x.shape
        split = lambda t: t.view(batch, length, self.heads, -1)
        flat = lambda t: t.transpose(1, 2).reshape(batch * self.heads, length, -1)
        q = flat(rotate(split(self.attn_q(x)), turn / math.sqrt(width // self.heads)))
        k = flat(rotate(split(self.attn_k(x)), turn))
        v = flat(split(self.attn_v(x)))
        out = torch.baddbmm(hide, q, k.transpose(1, 2)).softmax(-1) @ v
        return self.attn_output(out.view(batch, self.heads, length, -1).transpose(1, 2).reshape(batch, length, width))

    def forward(self, x, turn, hide):
        x = x + self.attend(self.attn_norm(x), turn, hide)
        h = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h))


class TinyAgent(nn.Module):
    """Input and output embedding are one matrix: llama.cpp uses token_embd for both when the file has no output.weight."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.token_embd = nn.Embedding(config["vocab"], config["width"])
        self.blk = nn.ModuleList(Block(config) for _ in range(config["layers"]))
        self.output_norm = RMSNorm(config["width"], config["norm_eps"])
        self.register_buffer("turn", rope_table(config), persistent=False)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                scale = 0.02 if "embd" in name else 1 / math.sqrt(weight.shape[1])
                last = "attn_output" in name or "ffn_down" in name
                nn.init.normal_(weight, std=scale / (math.sqrt(2 * config["layers"]) if last else 1))

    def forward(self, tokens, wanted):
        """What the network makes of the positions where `wanted` is true, in order; `logits` says which tokens that means."""
        length = tokens.shape[1]
        turn = self.turn[:length, None]
        hide = torch.full((length, length), float("-inf")).triu(1)
        x = self.token_embd(tokens)
        for block in self.blk:
            x = block(x, turn, hide)
        return self.output_norm(x[wanted])

    def logits(self, states):
        return F.linear(states, self.token_embd.weight)
