"""Writes a GGUF file: metadata, a byte-level BPE vocabulary, a chat template and tensors. Knows nothing of training."""

import struct

import numpy as np

ALIGNMENT = 32
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
TENSOR_TYPES = {np.dtype(np.float32): 0, np.dtype(np.float16): 1}
NORMAL, CONTROL, USER_DEFINED = 1, 3, 4


def _string(text):
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def _value(value):
    if isinstance(value, bool):
        return BOOL, struct.pack("<?", value)
    if isinstance(value, int):
        return UINT32, struct.pack("<I", value)
    if isinstance(value, float):
        return FLOAT32, struct.pack("<f", value)
    if isinstance(value, str):
        return STRING, _string(value)
    if all(isinstance(item, str) for item in value):
        return ARRAY, struct.pack("<IQ", STRING, len(value)) + b"".join(map(_string, value))
    return ARRAY, struct.pack("<IQ", INT32, len(value)) + struct.pack(f"<{len(value)}i", *value)


def _padding(size):
    return b"\0" * (-size % ALIGNMENT)


def write_gguf(path, metadata, tensors):
    """`tensors`: name -> numpy array. GGUF lists the fastest dimension first, so shapes are written reversed."""
    out = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)))
    for key, value in metadata.items():
        kind, data = _value(value)
        out += _string(key) + struct.pack("<I", kind) + data
    offset = 0
    for name, array in tensors.items():
        dims = array.shape[::-1]
        out += _string(name) + struct.pack(f"<I{len(dims)}Q", len(dims), *dims)
        out += struct.pack("<IQ", TENSOR_TYPES[array.dtype], offset)
        offset += array.nbytes + len(_padding(array.nbytes))
    out += _padding(len(out))
    for array in tensors.values():
        out += array.tobytes() + _padding(array.nbytes)
    with open(path, "wb") as file:
        file.write(out)


def model_metadata(config, vocabulary, template, description):
    tokens = vocabulary["tokens"]
    kinds = {**dict.fromkeys(vocabulary["control"], CONTROL), **dict.fromkeys(vocabulary["markers"], USER_DEFINED)}
    end = tokens.index("<|im_end|>")
    return {
        "general.architecture": "llama",
        "general.name": "tiny-agent",
        "general.description": description,
        "general.license": "MIT",
        "general.file_type": 1,
        "llama.context_length": config["context"],
        "llama.embedding_length": config["width"],
        "llama.block_count": config["layers"],
        "llama.feed_forward_length": config["hidden"],
        "llama.attention.head_count": config["heads"],
        "llama.attention.head_count_kv": config["heads"],
        "llama.attention.layer_norm_rms_epsilon": config["norm_eps"],
        "llama.rope.dimension_count": config["width"] // config["heads"],
        "llama.rope.freq_base": config["rope_base"],
        "llama.vocab_size": len(tokens),
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": vocabulary["pretokenizer"],
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [kinds.get(token, NORMAL) for token in tokens],
        "tokenizer.ggml.merges": vocabulary["merges"],
        "tokenizer.ggml.bos_token_id": tokens.index("<|endoftext|>"),
        "tokenizer.ggml.eos_token_id": end,
        "tokenizer.ggml.eot_token_id": end,
        "tokenizer.ggml.padding_token_id": tokens.index("<|endoftext|>"),
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": template,
    }


def model_tensors(model):
    """Matrices as F16, norms as F32, under llama.cpp's names."""
    tensors = {}
    for name, weight in model.state_dict().items():
        array = weight.detach().cpu().numpy()
        tensors[name] = array.astype(np.float16 if array.ndim == 2 else np.float32)
    return tensors
