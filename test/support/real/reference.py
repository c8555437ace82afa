"""References of real models, by the libraries that people compare with. The argument names what is asked; the request
is a JSON object on stdin, and a JSON list is the answer.

ids      {"model": path, "texts": [...], "parse_special": [...]}: for each of `parse_special`, which says whether texts
         may name control tokens, the ids of each text. The model is a GGUF file, or a folder with a tokenizer.json.
prompts  {"model": path of a GGUF file, "conversations": [...]}: each conversation by the model's chat template.
renders  {"templates": [...], "conversations": [...], "variables": {...}}: each conversation by each template."""

import datetime
import json
import os
import sys

import numpy
from gguf import GGUFReader
from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
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


class Generation(Extension):
    """The statement with which templates mark what the assistant wrote; it renders what is in it."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_whole"), [], [], body).set_lineno(line)

    def _whole(self, caller):
        return caller()


def environment():
    """As transformers sets Jinja2 up for chat templates."""

    def fail(message):
        raise TemplateError(message)

    def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(
            value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )

    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    made.filters["tojson"] = to_json
    made.globals["raise_exception"] = fail
    made.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    return made


def prompts(request):
    file = File(request["model"])
    tokens = file.tokens()
    template = environment().from_string(file.value("chat_template"))
    marks = {name: tokens[file.value(f"ggml.{name}_id")] for name in ("bos_token", "eos_token")}
    return [
        template.render(messages=messages, add_generation_prompt=True, **marks) for messages in request["conversations"]
    ]


def as_texts(messages):
    """The same messages, the arguments of their calls as texts."""

    def to_text(arguments):
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))

    copied = json.loads(json.dumps(messages))
    for message in copied:
        for call in message.get("tool_calls", []):
            call["function"]["arguments"] = to_text(call["function"]["arguments"])
    return copied


def renders(request):
    """For each template a list: for each conversation its prompts, with arguments as objects and as texts, or errors."""
    made = environment()

    def render(template, conversation, messages):
        variables = {**request["variables"], **conversation, "messages": messages, "add_generation_prompt": True}
        try:
            return {"text": template.render(**variables)}
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}

    def both(template, conversation):
        messages = conversation["messages"]
        return [render(template, conversation, form) for form in (messages, as_texts(messages))]

    return [
        [both(template, conversation) for conversation in request["conversations"]]
        for template in map(made.from_string, request["templates"])
    ]


asked = {"ids": ids, "prompts": prompts, "renders": renders}[sys.argv[1]]
json.dump(asked(json.load(sys.stdin)), sys.stdout)
