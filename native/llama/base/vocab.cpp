#include "llama/base/vocab.h"

#include "llama/base/word_pieces.h"

namespace lh {

std::vector<int32_t> tokenize(const llama_vocab* vocab, std::string_view text, bool add_special, bool parse_special) {
  std::string written;
  if (llama_vocab_type(vocab) == LLAMA_VOCAB_TYPE_WPM) text = written = for_word_pieces(text);
  std::vector<int32_t> tokens(text.size() + 8);
  const auto run = [&] {
    return llama_tokenize(vocab, text.data(), static_cast<int32_t>(text.size()), tokens.data(),
                          static_cast<int32_t>(tokens.size()), add_special, parse_special);
  };
  int32_t count = run();
  if (count < 0) {  // more tokens than bytes, because some vocabularies add prefixes
    tokens.resize(static_cast<size_t>(-count));
    count = run();
  }
  tokens.resize(count < 0 ? 0 : static_cast<size_t>(count));
  return tokens;
}

std::string token_bytes(const llama_vocab* vocab, int32_t token, bool special) {
  std::string bytes(32, '\0');
  int32_t length = llama_token_to_piece(vocab, token, bytes.data(), static_cast<int32_t>(bytes.size()), 0, special);
  if (length < 0) {
    bytes.resize(static_cast<size_t>(-length));
    length = llama_token_to_piece(vocab, token, bytes.data(), static_cast<int32_t>(bytes.size()), 0, special);
  }
  bytes.resize(length < 0 ? 0 : static_cast<size_t>(length));
  return bytes;
}

std::vector<int32_t> end_tokens(const llama_vocab* vocab) {
  std::vector<int32_t> ends;
  for (int32_t token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
    if (llama_vocab_is_eog(vocab, token)) ends.push_back(token);
  }
  return ends;
}

}  // namespace lh
