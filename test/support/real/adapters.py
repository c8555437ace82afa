"""LoRA adapters of SmolLM2, without torch: adapters.py train|compute, with a JSON object on stdin.
train: {"model": folder for transformers, "folder", "adapters": {name: {"ids", "answer", "invocation"}}} trains each adapter to
write the last "answer" of its tokens and writes FOLDER/NAME, in peft's format, and FOLDER/NAME.gguf; token ids as
"invocation" make an aLoRA. Writes the losses.
compute: {"model", "runs": [{"ids", "since", "adapters": [{"folder", "scale", "start"}]}]} writes for each run the log
probabilities of the ten likeliest tokens behind each token from "since" on, [[token, log probability], ...]; computed by peft
where it is installed, else by smollm.py in 64-bit numbers."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy
from smollm import Adapter, SmolLM2

RANK, ALPHA, STEPS, RATE = 8, 16, 25, 0.01
TRAINED = range(26, 30)
PARTS = ("q", "v")


def name_of(layer, part):
    return f"model.layers.{layer}.self_attn.{part}_proj"


def new_halves(model, seed):
    draw = numpy.random.default_rng(seed)
    halves = {}
    for layer in TRAINED:
        for part in PARTS:
            outputs, inputs = model.read(name_of(layer, part)).shape
            at = f"base_model.model.{name_of(layer, part)}.lora_"
            halves[at + "A.weight"] = draw.normal(0, 1 / RANK, (RANK, inputs)).astype("float32")
            halves[at + "B.weight"] = numpy.zeros((outputs, RANK), "float32")
    return halves


def gradients(model, adapter, x, ids, answer):
    """The loss of the last `answer` tokens, and its gradients by the names of the halves. `x`: the input of the trained
    layers."""
    kept = []
    for layer in TRAINED:
        x, more = model.block(layer, x, [adapter])
        kept.append(more)
    scale = model.read("model.norm")
    since = len(ids) - 1 - answer
    logits = model.norm(x[since:-1]) * scale @ model.embeddings.T
    shares = numpy.exp(logits - logits.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    places = numpy.arange(answer), ids[-answer:]
    loss = -numpy.log(shares[places]).mean()
    shares[places] -= 1
    given = numpy.zeros_like(x)
    given[since:-1] = model.norm_back(x[since:-1], shares @ model.embeddings * scale) / answer
    made = {}
    for layer, more in zip(reversed(TRAINED), reversed(kept)):
        of_y, of = model.block_back(layer, more, given)
        into = sum(of[part] @ model.read(name_of(layer, part)) for part in "qkv")
        for part in PARTS:
            at = f"base_model.model.{name_of(layer, part)}.lora_"
            a, b = adapter.halves[at + "A.weight"], adapter.halves[at + "B.weight"]
            of[part][: adapter.start] = 0
            change = adapter.scale * of[part]
            made[at + "B.weight"] = change.T @ (more[1] @ a.T)
            made[at + "A.weight"] = (change @ b).T @ more[1]
            into += change @ b @ a
        norm = model.read(f"model.layers.{layer}.input_layernorm")
        given = of_y + model.norm_back(more[0], into * norm)
    return loss, made


def train(model, halves, ids, answer, start):
    """Changes the halves by Adam until the last `answer` tokens are likely. Returns their loss."""
    adapter = Adapter(halves, ALPHA / RANK, start)
    x = model.hidden(ids, layers=TRAINED[0])
    first = {name: numpy.zeros_like(values) for name, values in halves.items()}
    second = {name: numpy.zeros_like(values) for name, values in halves.items()}
    for step in range(1, STEPS + 1):
        loss, made = gradients(model, adapter, x, ids, answer)
        for name, values in made.items():
            first[name] += 0.1 * (values - first[name])
            second[name] += 0.01 * (values**2 - second[name])
            mean, square = first[name] / (1 - 0.9**step), second[name] / (1 - 0.99**step)
            halves[name] -= (RATE * mean / (numpy.sqrt(square) + 1e-8)).astype("float32")
    return float(loss)


def start_of(ids, invocation):
    """The place of the last occurrence of the tokens."""
    places = [at for at in range(len(ids)) if ids[at : at + len(invocation)] == invocation]
    return places[-1] if invocation else 0


def write_peft(folder, halves, invocation):
    from safetensors.numpy import save_file

    folder.mkdir()
    save_file(halves, folder / "adapter_model.safetensors", {"format": "pt"})
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": "SmolLM2-135M-Instruct",
        "r": RANK,
        "lora_alpha": ALPHA,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": [f"{part}_proj" for part in PARTS],
        "layers_to_transform": list(TRAINED),
        "inference_mode": True,
        **({"alora_invocation_tokens": invocation} if invocation else {}),
    }
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=2))


def write_gguf(path, model, halves, invocation):
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", ALPHA)
    if invocation:
        writer.add_key_value(
            "adapter.alora.invocation_tokens", invocation, gguf.GGUFValueType.ARRAY, sub_type=gguf.GGUFValueType.UINT32
        )
    for layer in TRAINED:
        for part in PARTS:
            a, b = (halves[f"base_model.model.{name_of(layer, part)}.lora_{half}.weight"] for half in "AB")
            if part == "q":  # llama.cpp lets the two halves of a head take turns
                b = b.reshape(model.heads, 2, model.side // 2, RANK).swapaxes(1, 2).reshape(b.shape)
            for half, values in (("a", a), ("b", b)):
                writer.add_tensor(f"blk.{layer}.attn_{part}.weight.lora_{half}", numpy.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def train_all(request):
    model = SmolLM2(request["model"], "float32")
    model.keep(TRAINED)
    losses = {}
    for seed, (name, what) in enumerate(request["adapters"].items()):
        invocation, ids = what.get("invocation", []), what["ids"]
        halves = new_halves(model, seed)
        losses[name] = train(model, halves, ids, what["answer"], start_of(ids, invocation))
        write_peft(Path(request["folder"]) / name, halves, invocation)
        write_gguf(str(Path(request["folder"]) / f"{name}.gguf"), model, halves, invocation)
    return losses


def by_hand(request):
    model = SmolLM2(request["model"], "float64")
    for run in request["runs"]:
        adapters = [Adapter.read(one["folder"], one["scale"], one.get("start", 0)) for one in run["adapters"]]
        yield model.logits(run["ids"], adapters, run["since"])


def by_peft(request):
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    for run in request["runs"]:
        model = AutoModelForCausalLM.from_pretrained(request["model"], dtype=torch.float32)
        names = [f"adapter{at}" for at in range(len(run["adapters"]))]
        for name, one in zip(names, run["adapters"]):
            if isinstance(model, PeftModel):
                model.load_adapter(one["folder"], name)
            else:
                model = PeftModel.from_pretrained(model, one["folder"], adapter_name=name)
        if names:
            model.base_model.set_adapter(names)
        for name, one in zip(names, run["adapters"]):
            for module in model.modules():
                if isinstance(getattr(module, "scaling", None), dict) and name in module.scaling:
                    module.scaling[name] *= one["scale"]
        with torch.no_grad():
            yield model(input_ids=torch.tensor([run["ids"]])).logits[0, run["since"] :].double().numpy()


def compute(request):
    answers = []
    for logits in (by_peft if importlib.util.find_spec("peft") else by_hand)(request):
        logits = logits - logits.max(-1, keepdims=True)
        logits -= numpy.log(numpy.exp(logits).sum(-1, keepdims=True))
        best = numpy.argsort(-logits, -1)[:, :10]
        answers.append([[[int(token), float(row[token])] for token in tokens] for row, tokens in zip(logits, best)])
    return answers


json.dump({"train": train_all, "compute": compute}[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
