// Infills: prompts with a gap, marked by special tokens of the vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llama/base/tokenizer.h"
#include "model/generator.h"

namespace lh {

[[nodiscard]] bool can_infill(const llama_vocab* vocab);

// Builds the prompt like llama-server: the texts of other files, prefix, suffix, and the position where the model
// continues. Control tokens written in the texts are plain text. Nothing is truncated. Errors: kUnsupportedByModel,
// with the missing tokens; those of `cancel`, which may be null.
[[nodiscard]] Result<std::vector<int32_t>> infill_tokens(const Tokenizer& tokenizer, const Infill& infill,
                                                         const CancelFlag* cancel);

// The same as text.
[[nodiscard]] Result<std::string> infill_text(const llama_vocab* vocab, const Infill& infill);

}  // namespace lh
