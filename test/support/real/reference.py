"""References of real models, by the libraries that people compare with. The argument names what is asked; the request
is a JSON object on stdin, and a JSON list is the answer.

ids      {"model": path, "texts": [...], "parse_special": [...]}: for each of `parse_special`, which says whether texts
         may name control tokens, the ids of each text. The model is a GGUF file, or a folder with a tokenizer.json.
prompts  {"model": path of a GGUF file, "conversations": [...]}: each conversation by the model's chat template."""

import json
import os
import sys

import numpy
from gguf import GGUFReader
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import AddedToken, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import BPE

CONTROL, USER_DEFINED = 3, 4


class File:
    def __init__(self, path):
        self.fields = GGUFReader(path).fields

    def value(self, key):
        field = self.fields.get("tokenizer." + key)
        return None if field is None else field.contents()

    def tokens(self):
        return self.value("ggml.tokens")


def merges_of(file):
    """The merges of a vocabulary that has scores: each cut of a token into two tokens, the best token first."""
    tokens, scores = file.tokens(), numpy.array(file.value("ggml.scores"))
    places = {token: at for at, token in enumerate(tokens)}
    types = file.value("ggml.token_type")
    merges = []
    for at, token in enumerate(tokens):
        if types[at] != 1:
            continue
        cuts = [(token[:cut], token[cut:]) for cut in range(1, len(token))]
        known = [cut for cut in cuts if cut[0] in places and cut[1] in places]
        known.sort(key=lambda cut: (places[cut[0]], places[cut[1]]))
        merges += [(-scores[at], cut) for cut in known]
    merges.sort(key=lambda merge: merge[0])
    return [cut for _, cut in merges]


def tokenizer(file):
    """The model's tokenizer as its authors publish it, with the vocabulary of the file."""
    tokens, types = file.tokens(), file.value("ggml.token_type")
    vocabulary = {token: at for at, token in enumerate(tokens)}
    if file.value("ggml.model") == "gpt2":
        merges = [tuple(merge.split(" ", 1)) for merge in file.value("ggml.merges")]
        made = Tokenizer(BPE(vocabulary, merges))
        made.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
        made.decoder = decoders.ByteLevel()
    else:
        unknown = tokens[file.value("ggml.unknown_token_id")]
        made = Tokenizer(BPE(vocabulary, merges_of(file), unk_token=unknown, fuse_unk=True, byte_fallback=True))
        made.normalizer = normalizers.Replace(" ", "\u2581")
        made.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    whole = [at for at, kind in enumerate(types) if kind in (CONTROL, USER_DEFINED)]
    made.add_special_tokens([AddedToken(tokens[at], normalized=False, special=True) for at in whole if types[at] == CONTROL])
    made.add_tokens([AddedToken(tokens[at], normalized=False) for at in whole if types[at] == USER_DEFINED])
    return made


def published(folder):
    made = Tokenizer.from_file(folder + "/tokenizer.json")
    made.no_padding()
    made.no_truncation()
    return made


def ids(request):
    model = request["model"]
    made = published(model) if os.path.isdir(model) else tokenizer(File(model))
    answers = []
    for parse_special in request["parse_special"]:
        made.encode_special_tokens = not parse_special
        answers.append([text.ids for text in made.encode_batch(request["texts"], add_special_tokens=False)])
    return answers


def prompts(request):
    file = File(request["model"])
    tokens = file.tokens()

    def fail(message):
        raise ValueError(message)

    def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(
            value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = fail
    template = environment.from_string(file.value("chat_template"))
    marks = {name: tokens[file.value(f"ggml.{name}_id")] for name in ("bos_token", "eos_token")}
    return [
        template.render(messages=messages, add_generation_prompt=True, **marks) for messages in request["conversations"]
    ]


json.dump({"ids": ids, "prompts": prompts}[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
