// A parsed grammar before its first token. Samplers of one answer format begin with copies, because llama.cpp takes
// more than a millisecond to parse the grammar of 50 tools.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "common.h"

struct llama_grammar;

namespace lh {

struct GrammarDeleter {
  void operator()(llama_grammar* grammar) const;
};
using GrammarPtr = std::unique_ptr<llama_grammar, GrammarDeleter>;

class GrammarStart {
 public:
  // Returns a copy of the grammar of `params`, with its triggers. Null if it does not parse. llama.cpp may throw.
  [[nodiscard]] GrammarPtr begin(const llama_vocab* vocab, const common_params_sampling& params);

 private:
  struct Known {
    GrammarPtr grammar;
    std::string text;
    bool lazy = false;
    std::vector<common_grammar_trigger> triggers;

    [[nodiscard]] bool is_for(const llama_vocab* vocab, const common_params_sampling& params) const;
  };

  Mutex mutex_;
  std::shared_ptr<const Known> known_ LH_GUARDED_BY(mutex_);  // null: none was made yet
};

}  // namespace lh
