// The answer format of a chat template: grammar, stops and parser, built once for all prompts with the same inputs.
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

// The constraints that the prompt puts on the sampler.
struct GrammarSpec {
  common_grammar grammar;
  bool lazy = false;
  std::vector<common_grammar_trigger> triggers;
  std::set<llama_token> preserved;  // special tokens that are rendered as text, because the parser reads them
  std::string generation_prompt;
  // The reasoning tags as tokens: a tool call inside reasoning is only thought about, and triggers nothing.
  std::vector<llama_token> reasoning_start;
  std::vector<std::vector<llama_token>> reasoning_ends;
  // kOpen, kEnded: the generation prompt begins the reasoning, and leaves it open or ends it.
  enum class Prompted { kNothing, kOpen, kEnded } prompted = Prompted::kNothing;
  int32_t prompted_tokens = 0;  // for kOpen: tokens of the reasoning that the generation prompt already has

  [[nodiscard]] bool knows_reasoning() const { return !reasoning_start.empty() && !reasoning_ends.empty(); }
};

// Immutable, and shared by its prompts.
struct AnswerFormat {
  std::shared_ptr<const GrammarSpec> grammar;
  std::vector<std::string> stops;
  std::shared_ptr<const OutputFormat> output;
};

// An unambiguous text: each part is preceded by its length.
class FormatKey {
 public:
  FormatKey& add(std::string_view part);
  FormatKey& add(bool part) { return add(part ? std::string_view("1") : std::string_view("0")); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Any thread. Drops the entries unused for longest first.
class FormatCache {
 public:
  // Null if absent.
  [[nodiscard]] std::shared_ptr<const AnswerFormat> find(const FormatKey& key);
  // `size`: of the inputs of `format`, in bytes.
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
  std::list<Entry> entries_ LH_GUARDED_BY(mutex_);  // most recently used first
  size_t bytes_ LH_GUARDED_BY(mutex_) = 0;
};

// Texts that were seen before. Any thread. Drops the ones added first.
class TextCache {
 public:
  [[nodiscard]] bool has(const std::string& text) const;
  void add(const std::string& text);

 private:
  static constexpr size_t kMost = 64;
  static constexpr size_t kMostBytes = 8UL << 20;

  mutable Mutex mutex_;
  std::list<std::string> texts_ LH_GUARDED_BY(mutex_);
  size_t bytes_ LH_GUARDED_BY(mutex_) = 0;
};

// Resolves the template's description with the vocabulary. `grammar`, if it has text, replaces the template's own.
std::shared_ptr<const GrammarSpec> make_grammar_spec(const llama_vocab* vocab, const common_chat_params& chat,
                                                     common_grammar grammar, bool has_tools);

}  // namespace lh
