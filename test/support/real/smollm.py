"""SmolLM2 with LoRA adapters, computed in numpy from a folder for transformers: its logits, and the gradients that train an
adapter. The names and the order of rows are those of transformers, so an adapter is one of peft."""

import json
import math
from pathlib import Path

import numpy
from safetensors.numpy import load_file


class Adapter:
    """The halves of a LoRA adapter, by peft's names. `start`: the place of the first token on which it acts."""

    def __init__(self, halves, scale, start=0):
        self.halves, self.scale, self.start = halves, scale, start

    @classmethod
    def read(cls, folder, strength, start=0):
        """An adapter that peft has written to a folder, at a strength."""
        config = json.loads((Path(folder) / "adapter_config.json").read_text())
        halves = load_file(Path(folder) / "adapter_model.safetensors")
        return cls(halves, strength * config["lora_alpha"] / config["r"], start)

    def half(self, name, which):
        return self.halves.get(f"base_model.model.{name}.lora_{which}.weight")

    def change(self, name, x):
        if self.half(name, "A") is None:
            return 0
        a, b = (self.half(name, which).astype(x.dtype) for which in "AB")
        made = self.scale * (x @ a.T @ b.T)
        made[: self.start] = 0
        return made


class SmolLM2:
    def __init__(self, folder, dtype):
        config = json.loads((Path(folder) / "config.json").read_text())
        self.layers, self.heads, self.key_heads = (
            config[f"num_{part}"] for part in ("hidden_layers", "attention_heads", "key_value_heads")
        )
        self.side = config["hidden_size"] // self.heads
        self.epsilon, self.base = config["rms_norm_eps"], config["rope_theta"]
        self.dtype = dtype
        self.values = load_file(Path(folder) / "model.safetensors")
        self.embeddings = self.read("model.embed_tokens")

    def keep(self, layers):
        """Converts the weights of these layers once, and not each time that they are read."""
        for name in list(self.values):
            if name.startswith(tuple(f"model.layers.{layer}." for layer in layers)):
                self.values[name] = self.values[name].astype(self.dtype)

    def read(self, name):
        return self.values[name + ".weight"].astype(self.dtype, copy=False)

    def norm(self, x):
        return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon)

    def norm_back(self, x, given):
        scale = numpy.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon)
        return (given - x * (given * x).mean(-1, keepdims=True) / scale**2) / scale

    def turned(self, x, sign=1):
        """Heads, turned by their places: tokens x heads x side."""
        half = self.side // 2
        angles = numpy.outer(numpy.arange(len(x)), self.base ** (-numpy.arange(half) / half))[:, None, :]
        cosine, sine = numpy.cos(angles).astype(self.dtype), sign * numpy.sin(angles).astype(self.dtype)
        first, second = x[..., :half], x[..., half:]
        return numpy.concatenate((first * cosine - second * sine, second * cosine + first * sine), -1)

    def grouped(self, x):
        """Heads of queries by their head of keys: (heads of keys) x (queries of each) x tokens x side."""
        return x.reshape(len(x), self.key_heads, -1, self.side).transpose(1, 2, 0, 3)

    def attention(self, q, k, v):
        q, k, v = self.grouped(q), self.grouped(k), self.grouped(v)
        scores = q @ k.swapaxes(-1, -2) / math.sqrt(self.side)
        scores += numpy.triu(numpy.full(scores.shape[-2:], -numpy.inf, self.dtype), 1)
        shares = numpy.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return (shares @ v).transpose(2, 0, 1, 3).reshape(q.shape[2], -1), (q, k, v, shares)

    def block(self, layer, x, adapters=()):
        """The output of a layer, and what its gradient needs."""
        own = f"model.layers.{layer}."

        def linear(name, x):
            return x @ self.read(own + name).T + sum(one.change(own + name, x) for one in adapters)

        a = self.norm(x) * self.read(own + "input_layernorm")
        q, k, v = (linear(f"self_attn.{name}_proj", a).reshape(len(x), -1, self.side) for name in "qkv")
        seen, parts = self.attention(self.turned(q), self.turned(k), v)
        y = x + linear("self_attn.o_proj", seen)
        b = self.norm(y) * self.read(own + "post_attention_layernorm")
        gate, up = linear("mlp.gate_proj", b), linear("mlp.up_proj", b)
        opened = 1 / (1 + numpy.exp(-gate))
        return y + linear("mlp.down_proj", gate * opened * up), (x, a, parts, y, gate, opened, up)

    def block_back(self, layer, kept, given):
        """From the gradient of a layer's output: that of its residual stream before attention, and of q, k and v."""
        weights = lambda name: self.read(f"model.layers.{layer}.{name}")
        x, _, (q, k, v, shares), y, gate, opened, up = kept
        inner = given @ weights("mlp.down_proj")
        of_gate = inner * up * opened * (1 + gate * (1 - opened))
        b = of_gate @ weights("mlp.gate_proj") + inner * gate * opened @ weights("mlp.up_proj")
        of_y = given + self.norm_back(y, b * weights("post_attention_layernorm"))
        seen = self.grouped(of_y @ weights("self_attn.o_proj"))
        of_v = (shares.swapaxes(-1, -2) @ seen).sum(1).swapaxes(0, 1)
        of_shares = seen @ v.swapaxes(-1, -2)
        scores = shares * (of_shares - (of_shares * shares).sum(-1, keepdims=True)) / math.sqrt(self.side)
        of_q = (scores @ k).transpose(2, 0, 1, 3).reshape(len(x), -1, self.side)
        of_k = (scores.swapaxes(-1, -2) @ q).sum(1).swapaxes(0, 1)
        gradients = (self.turned(of_q, -1), self.turned(of_k, -1), of_v)
        return of_y, dict(zip("qkv", (part.reshape(len(x), -1) for part in gradients)))

    def hidden(self, ids, adapters=(), layers=None):
        """The output of the first `layers` layers; by default of all."""
        x = self.embeddings[ids]
        for layer in range(self.layers if layers is None else layers):
            x = self.block(layer, x, adapters)[0]
        return x

    def logits(self, ids, adapters=(), since=0):
        """Those behind each token from `since` on."""
        return self.norm(self.hidden(ids, adapters)[since:]) * self.read("model.norm") @ self.embeddings.T
