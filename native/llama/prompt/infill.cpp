#include "llama/prompt/infill.h"

#include <string_view>
#include <utility>
#include <variant>

#include "llama/base/vocab.h"

namespace lh {
namespace {

// A control token, or text.
using Part = std::variant<int32_t, std::string_view>;

Status missing_tokens(const llama_vocab* vocab) {
  std::string names;
  const auto look = [&names](const char* name, int32_t token) {
    if (token == LLAMA_TOKEN_NULL) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  look("prefix", llama_vocab_fim_pre(vocab));
  look("suffix", llama_vocab_fim_suf(vocab));
  look("middle", llama_vocab_fim_mid(vocab));
  if (names.empty()) return {};
  return {Code::kUnsupportedByModel,
          "the model has no tokens for an infill (" + names + "): it was not trained to fill gaps"};
}

// llama-server's separator for models without a token between files.
constexpr std::string_view kSnippet = "\n\n--- snippet ---\n\n";

std::vector<Part> parts_of(const llama_vocab* vocab, const Infill& infill) {
  std::vector<Part> parts;
  const int32_t file = llama_vocab_fim_sep(vocab);
  for (const Infill::Extra& extra : infill.extra) {
    if (file == LLAMA_TOKEN_NULL) {
      parts.insert(parts.end(), {kSnippet, extra.text});
    } else {
      parts.insert(parts.end(), {file, extra.filename, std::string_view("\n"), extra.text});
    }
  }
  if (llama_vocab_get_add_bos(vocab)) parts.insert(parts.begin(), llama_vocab_bos(vocab));
  const std::pair<Part, Part> prefix = {llama_vocab_fim_pre(vocab), infill.prefix};
  const std::pair<Part, Part> suffix = {llama_vocab_fim_suf(vocab), infill.suffix};
  for (const auto& [mark, text] : {infill.suffix_first ? suffix : prefix, infill.suffix_first ? prefix : suffix}) {
    parts.insert(parts.end(), {mark, text});
  }
  parts.insert(parts.end(), {llama_vocab_fim_mid(vocab), infill.middle});
  return parts;
}

}  // namespace

bool can_infill(const llama_vocab* vocab) { return missing_tokens(vocab).ok(); }

Result<std::vector<int32_t>> infill_tokens(const Tokenizer& tokenizer, const Infill& infill, const CancelFlag* cancel) {
  const llama_vocab* const vocab = tokenizer.vocab();
  if (Status status = missing_tokens(vocab); !status.ok()) return status;
  std::vector<int32_t> tokens;
  for (const Part& part : parts_of(vocab, infill)) {
    if (const auto* token = std::get_if<int32_t>(&part)) {
      tokens.push_back(*token);
    } else {
      const auto text = tokenizer.tokenize(std::get<std::string_view>(part), {.cancel = cancel});
      if (!text.ok()) return text.status();
      tokens.insert(tokens.end(), text->tokens.begin(), text->tokens.end());
    }
  }
  return tokens;
}

Result<std::string> infill_text(const llama_vocab* vocab, const Infill& infill) {
  if (Status status = missing_tokens(vocab); !status.ok()) return status;
  std::string text;
  for (const Part& part : parts_of(vocab, infill)) {
    const auto* token = std::get_if<int32_t>(&part);
    text += token != nullptr ? token_bytes(vocab, *token, true) : std::string(std::get<std::string_view>(part));
  }
  return text;
}

}  // namespace lh
