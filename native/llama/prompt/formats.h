// How a model answers, as its chat template says: grammar, stops and parser, made once for all prompts that share what
// they follow from. Must not: render a prompt.
#pragma once

#include <list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/mutex.h"
#include "chat.h"
#include "model/generator.h"

namespace lh {

// How the prompt constrains the sampler.
struct GrammarSpec {
  common_grammar grammar;
  bool lazy = false;
  std::vector<common_grammar_trigger> triggers;
  std::set<llama_token> preserved;  // special tokens that are rendered as text, because the parser reads them
  std::string generation_prompt;
  // Of the reasoning tags, as tokens: a tool call inside reasoning is thought about, and triggers nothing.
  std::vector<llama_token> reasoning_start;
  std::vector<std::vector<llama_token>> reasoning_ends;
  // How the generation prompt leaves the reasoning that it begins.
  enum class Prompted { kNothing, kOpen, kEnded } prompted = Prompted::kNothing;
  int32_t prompted_tokens = 0;  // of kOpen: what of the reasoning the generation prompt has already

  [[nodiscard]] bool knows_reasoning() const { return !reasoning_start.empty() && !reasoning_ends.empty(); }
};

// Immutable, and shared by the prompts that it is of.
struct AnswerFormat {
  std::shared_ptr<const GrammarSpec> grammar;
  std::vector<std::string> stops;
  std::shared_ptr<const OutputFormat> output;
};

// A text without two readings: each part with its length in front.
class FormatKey {
 public:
  FormatKey& add(std::string_view part);
  FormatKey& add(bool part) { return add(part ? std::string_view("1") : std::string_view("0")); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Any thread. What was not asked for longest goes first.
class FormatCache {
 public:
  // Null when it is not there.
  [[nodiscard]] std::shared_ptr<const AnswerFormat> find(const FormatKey& key);
  // `size`: of what `format` was made from, in bytes.
  void keep(const FormatKey& key, std::shared_ptr<const AnswerFormat> format, size_t size);

 private:
  static constexpr size_t kMost = 64;
  static constexpr size_t kMostBytes = 16UL << 20;

  struct Entry {
    std::string key;
    std::shared_ptr<const AnswerFormat> format;
    size_t size = 0;
  };

  Mutex mutex_;
  std::list<Entry> entries_ LH_GUARDED_BY(mutex_);  // the last used first
  size_t bytes_ LH_GUARDED_BY(mutex_) = 0;
};

// What the vocabulary makes of what the template says. `grammar` takes the place of the template's own when it has
// text.
std::shared_ptr<const GrammarSpec> make_grammar_spec(const llama_vocab* vocab, const common_chat_params& chat,
                                                     common_grammar grammar, bool has_tools);

}  // namespace lh
