"""Converts a BERT model for sentence-transformers to GGUF: convert_embedder.py FOLDER OUTPUT."""

import json
import sys
from pathlib import Path

import gguf
import numpy
from safetensors.numpy import load_file

folder, output = Path(sys.argv[1]), sys.argv[2]
config = json.loads((folder / "config.json").read_text())
blocks = config["num_hidden_layers"]

writer = gguf.GGUFWriter(output, "bert")
writer.add_name(output.rsplit("/", 1)[-1].split(".")[0])
writer.add_context_length(config["max_position_embeddings"])
writer.add_embedding_length(config["hidden_size"])
writer.add_feed_forward_length(config["intermediate_size"])
writer.add_block_count(blocks)
writer.add_head_count(config["num_attention_heads"])
writer.add_layer_norm_eps(config["layer_norm_eps"])
writer.add_causal_attention(False)
writer.add_token_type_count(config["type_vocab_size"])
pooling = json.loads((folder / "1_Pooling" / "config.json").read_text())
is_mean = pooling["pooling_mode_mean_tokens"]
writer.add_pooling_type(gguf.PoolingType.MEAN if is_mean else gguf.PoolingType.CLS)

# llama.cpp marks the beginning of a word where this vocabulary marks the rest of one.
words = (folder / "vocab.txt").read_text().split("\n")[: config["vocab_size"]]
controls = set(json.loads((folder / "special_tokens_map.json").read_text()).values())
writer.add_tokenizer_model("bert")
writer.add_tokenizer_pre("bert-bge")
writer.add_token_list(
    [word if word in controls else word[2:] if word.startswith("##") else "\u2581" + word for word in words]
)
kinds = gguf.TokenType
writer.add_token_types([kinds.CONTROL if word in controls else kinds.NORMAL for word in words])
gguf.SpecialVocab(folder, n_vocab=len(words)).add_to_gguf(writer)

names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, blocks)
for name, values in load_file(folder / "model.safetensors").items():
    if name.startswith("pooler.") or name == "embeddings.position_ids":
        continue
    made = names.get_name(name, try_suffixes=(".weight", ".bias"))
    is_matrix = values.ndim == 2 and not name.startswith(("embeddings.position", "embeddings.token_type"))
    writer.add_tensor(made, values.astype(numpy.float16 if is_matrix else numpy.float32))

writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
