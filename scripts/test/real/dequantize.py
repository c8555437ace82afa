"""Writes a model with weights of 16 bits: dequantize.py INPUT OUTPUT [FOLDER]. llama.cpp neither repacks them nor rounds
activations to 8 bits, so that a reference computes with the same numbers. FOLDER is for transformers (Llama only)."""

import json
import sys
from pathlib import Path

import gguf
import numpy
from gguf.quants import dequantize
from safetensors.numpy import save_file

# The parts of a Llama by their names in transformers.
LAYER = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
WHOLE = {"token_embd": "embed_tokens", "output_norm": "norm"}


def copy_fields(reader, writer):
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name in ("general.architecture", "general.quantization_version"):
            continue
        if field.name == "general.file_type":
            writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
            continue
        is_list = field.types[0] == gguf.GGUFValueType.ARRAY
        writer.add_key_value(field.name, field.contents(), field.types[0], sub_type=field.types[-1] if is_list else None)


def halved(rows, heads):
    """Rows of queries or keys; llama.cpp lets the two halves of a head take turns."""
    return rows.reshape(heads, len(rows) // heads // 2, 2, -1).swapaxes(1, 2).reshape(rows.shape)


def for_transformers(folder, value, tensors):
    heads, key_heads = value("attention.head_count"), value("attention.head_count_kv")
    named = {}
    for name, values in tensors.items():
        parts = name.removesuffix(".weight").split(".")
        if parts[0] != "blk":
            named[f"model.{WHOLE[parts[0]]}.weight"] = values
            continue
        if parts[2] in ("attn_q", "attn_k"):
            values = numpy.ascontiguousarray(halved(values, heads if parts[2] == "attn_q" else key_heads))
        named[f"model.layers.{parts[1]}.{LAYER[parts[2]]}.weight"] = values
    folder.mkdir(exist_ok=True)
    save_file(named, folder / "model.safetensors", {"format": "pt"})
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": value("embedding_length"),
        "intermediate_size": value("feed_forward_length"),
        "max_position_embeddings": value("context_length"),
        "num_attention_heads": heads,
        "num_hidden_layers": value("block_count"),
        "num_key_value_heads": key_heads,
        "rms_norm_eps": value("attention.layer_norm_rms_epsilon"),
        "rope_theta": value("rope.freq_base"),
        "tie_word_embeddings": True,
        "vocab_size": len(named["model.embed_tokens.weight"]),
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2))


reader = gguf.GGUFReader(sys.argv[1])
architecture = reader.fields["general.architecture"].contents()
writer = gguf.GGUFWriter(sys.argv[2], architecture)
copy_fields(reader, writer)
tensors = {}
for tensor in reader.tensors:
    kept = numpy.float32 if len(tensor.shape) == 1 else numpy.float16
    tensors[tensor.name] = dequantize(tensor.data, tensor.tensor_type).astype(kept)
    writer.add_tensor(tensor.name, tensors[tensor.name])
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
if len(sys.argv) > 3:
    value = lambda key: reader.fields[f"{architecture}.{key}"].contents()
    for_transformers(Path(sys.argv[3]), value, tensors)
