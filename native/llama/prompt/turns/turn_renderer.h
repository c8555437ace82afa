// Renders the turns of conversations with one template. llama.cpp prepares the first turn of a kind: its handler
// converts messages and tools, and finds the parser for the answer. Later turns are rendered without it: the template
// gets the same values again.
// Must not: render if the result could differ from llama.cpp's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "base/threads/recent_values.h"
#include "chat.h"
#include "llama/jinja/nodes/budget.h"
#include "llama/jinja/nodes/same.h"
#include "llama/jinja/once.h"
#include "llama/prompt/turns/known_messages.h"
#include "llama/prompt/turns/sample.h"

namespace lh {

// One thread at a time.
class TurnRenderer {
 public:
  // Renders the inputs, which may have a sample of the messages, with llama.cpp.
  using Apply = FunctionRef<Result<common_chat_params>(common_chat_templates_inputs& inputs)>;

  // `parsed` outlives this object. `pure`: llama.cpp has no handler for the template. `adds_bos`, `adds_eos`: the
  // tokenizer adds these tokens.
  TurnRenderer(const common_chat_template& parsed, bool pure, bool adds_bos, bool adds_eos);

  // Prompt and generation prompt; none if llama.cpp must render all messages. Throws what the template and `apply`
  // throw.
  [[nodiscard]] std::optional<common_chat_params> render(common_chat_templates_inputs& inputs, TemplateLimits limits,
                                                         Apply apply);
  // The template has changed a value that it was given.
  void forget();

 private:
  // The settings of a rendering that llama.cpp has prepared.
  struct Prepared {
    common_chat_params result;  // without the prompt
    std::string end;            // of the prompt
    ValueMembers others;        // the variables but the messages and the switch
  };
  struct Turn {
    std::vector<MessageKinds::Kind> kinds;
    KnownMessages::Conversation conversation;
    std::vector<size_t> unknown;  // places of messages whose values only llama.cpp knows
    std::string key;
    bool ordered = true;  // false: a handler may sort results
  };

  [[nodiscard]] Turn turn_of(const common_chat_templates_inputs& inputs);
  void convert(const std::vector<common_chat_msg>& messages, Turn& turn);
  [[nodiscard]] std::optional<common_chat_params> render_again(const Prepared& prepared, Turn& turn,
                                                               const common_chat_templates_inputs& inputs,
                                                               TemplateLimits limits) const;
  enum class Preparation : uint8_t { kMade, kFailed, kRefused, kMustRepeat };
  [[nodiscard]] Preparation prepare(Turn& turn, common_chat_templates_inputs& inputs, Apply apply,
                                    common_chat_params& made, std::optional<ValueMembers>& others);
  [[nodiscard]] Preparation learn_kinds(const std::vector<size_t>& changed, const Turn& turn);
  void learn(const common_chat_params& result, std::optional<ValueMembers> others, Turn& turn,
             const common_chat_templates_inputs& inputs, TemplateLimits limits);
  // A prompt does not have the tokens that the tokenizer adds.
  [[nodiscard]] std::string without_added_tokens(std::string text) const;

  const common_chat_template& parsed_;
  const bool pure_;
  const bool adds_bos_;
  const bool adds_eos_;
  const bool parses_;  // arguments of calls are objects for the template
  MessageKinds kinds_;
  std::set<uint32_t> changed_kinds_;  // whose messages a handler changes
  KnownMessages known_;
  std::unique_ptr<RecentValues<std::shared_ptr<const Prepared>>> prepared_;  // null: cannot be rendered again
  RecentValues<bool> refused_{64, 1UL << 20};  // keys of turns that llama.cpp must render with all messages
};

}  // namespace lh
