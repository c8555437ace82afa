"""Embeddings of texts by a BERT model in the form of sentence-transformers. Reads {"model": folder, "texts": [...]} on stdin,
writes a JSON list of vectors. This file computes them in 64-bit numbers, from the model's weights and tokenizer. Where
sentence-transformers is installed, that library does; scripts/test/real does not install it."""

import importlib.util
import json
import math
import sys
from pathlib import Path


def by_library(folder, texts):
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(folder, device="cpu").encode(texts, normalize_embeddings=True).tolist()


def by_hand(folder, texts):
    import numpy
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    config = json.loads((Path(folder) / "config.json").read_text())
    longest = json.loads((Path(folder) / "sentence_bert_config.json").read_text())["max_seq_length"]
    weights = {name: values.astype("float64") for name, values in load_file(f"{folder}/model.safetensors").items()}
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    heads = config["num_attention_heads"]
    gelu = numpy.vectorize(lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))))

    def linear(x, name):
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / numpy.sqrt((centred**2).mean(-1, keepdims=True) + config["layer_norm_eps"])
        return scaled * weights[name + ".weight"] + weights[name + ".bias"]

    def attention(x, name):
        parts = [linear(x, f"{name}.self.{part}") for part in ("query", "key", "value")]
        query, key, value = (part.reshape(len(x), heads, -1).transpose(1, 0, 2) for part in parts)
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        shares = numpy.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return norm(x + linear((shares @ value).transpose(1, 0, 2).reshape(x.shape), name + ".output.dense"), name + ".output.LayerNorm")

    def embedding(text):
        ids = tokenizer.encode(text).ids
        tables = ("word", ids), ("position", range(len(ids))), ("token_type", [0] * len(ids))
        x = sum(weights[f"embeddings.{name}_embeddings.weight"][list(at)] for name, at in tables)
        x = norm(x, "embeddings.LayerNorm")
        for layer in range(config["num_hidden_layers"]):
            name = f"encoder.layer.{layer}"
            x = attention(x, name + ".attention")
            inner = gelu(linear(x, name + ".intermediate.dense"))
            x = norm(x + linear(inner, name + ".output.dense"), name + ".output.LayerNorm")
        mean = x.mean(0)
        return (mean / numpy.linalg.norm(mean)).tolist()

    return [embedding(text) for text in texts]


request = json.load(sys.stdin)
has_library = importlib.util.find_spec("sentence_transformers") is not None
json.dump((by_library if has_library else by_hand)(request["model"], request["texts"]), sys.stdout)
