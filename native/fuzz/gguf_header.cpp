// Reads bytes as a GGUF file with the reader and checks of this library, for a model, an adapter and a control vector.
// llama.cpp sees none of them.
#include "fuzz/fuzz.h"
#include "gguf/check.h"
#include "gguf/control_vector.h"
#include "gguf/lora.h"

namespace lh::fuzz {

void fuzz_gguf_header(std::string_view input) {
  const std::string& path = file_with(input);
  static_cast<void>(check_gguf(path, [](std::string_view name) { return name != "unknown"; }));
  const Result<GgufFile> file = GgufFile::read(path);
  if (!file.ok()) return;
  static const TensorShapes shapes = {{"blk.0.attn_q.weight", {8, 8}}, {"token_embd.weight", {8, 16}}};
  static_cast<void>(check_lora(*file, "llama", shapes, 16));
  static const std::string architecture = "llama";
  if (is_control_vector(*file)) static_cast<void>(read_control_vector(*file, {architecture, 2, 8}));
}

}  // namespace lh::fuzz
