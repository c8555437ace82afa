// Infills: prompts with a gap, marked by tokens that some vocabularies have for it.
// Must not: know of sequences or sampling.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llama.h"
#include "model/generator.h"

namespace lh {

[[nodiscard]] bool can_infill(const llama_vocab* vocab);

// In the manner of llama-server: the texts of other files, prefix, suffix, and where the model goes on. Control tokens
// written out in the texts are plain text. Nothing is cut off. Errors: kUnsupportedByModel, with the tokens that are
// missing.
[[nodiscard]] Result<std::vector<int32_t>> infill_tokens(const llama_vocab* vocab, const Infill& infill);

// The same as text.
[[nodiscard]] Result<std::string> infill_text(const llama_vocab* vocab, const Infill& infill);

}  // namespace lh
