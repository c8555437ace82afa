#include "fuzz/sample.h"

#include <exception>
#include <string_view>
#include <vector>

#include "fuzz/fuzz.h"
#include "llama/base/handles.h"

namespace lh::fuzz {

namespace {

// Samples as a generation does: the grammar judges the whole vocabulary, and one of the remaining tokens is accepted.
void sample(const std::string& grammar, size_t seed) {
  constexpr int kSteps = 24;
  const SamplerPtr sampler(llama_sampler_init_grammar(vocabulary(), grammar.c_str(), "root"));
  require(sampler != nullptr, "llama.cpp takes a grammar that has been checked");
  std::minstd_rand random(static_cast<unsigned>(seed));
  std::vector<llama_token_data> all(static_cast<size_t>(llama_vocab_n_tokens(vocabulary())));
  for (int step = 0; step < kSteps; ++step) {
    for (size_t i = 0; i < all.size(); ++i) all[i] = {static_cast<llama_token>(i), 0.0F, 0.0F};
    llama_token_data_array candidates{all.data(), all.size(), -1, false};
    llama_sampler_apply(sampler.get(), &candidates);
    std::vector<llama_token> left;
    for (const llama_token_data& one : all) {
      if (one.logit == 0.0F) left.push_back(one.id);
    }
    if (left.empty()) return;
    const llama_token token = left[random() % left.size()];
    if (llama_vocab_is_eog(vocabulary(), token)) return;
    llama_sampler_accept(sampler.get(), token);
  }
}

}  // namespace

// llama.cpp may leave a token whose text ends where the grammar wants a token by number, and then does not accept it.
// It throws, which for a generation is DECODE_FAILED.
void sample_some(const std::string& grammar, size_t seed) {
  try {
    sample(grammar, seed);
  } catch (const std::exception& error) {
    const std::string_view words = error.what();
    require(words.starts_with("Unexpected empty grammar stack"), "sampling ends without another error");
  }
}

}  // namespace lh::fuzz
