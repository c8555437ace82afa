#include "llama/prompt/turns/turn_renderer.h"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <utility>

#include "base/common_size.h"
#include "base/instead.h"
#include "base/text/format_key.h"
#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/variables.h"
#include "platform/local_time.h"

namespace lh {
namespace {

constexpr size_t kMostPrepared = 32;
constexpr size_t kMostPreparedBytes = 4UL << 20;
constexpr size_t kBytesPerKeyByte = 8;  // of the values that are kept, about
// Handlers look at the end of a prompt, for the mark that ends a turn. The longest such mark has ten bytes.
constexpr size_t kEnd = 16;

// Templates get the date from llama.cpp.
std::string today() {
  const std::tm local = local_time(std::time(nullptr));
  return std::to_string(local.tm_year) + ' ' + std::to_string(local.tm_yday);
}

// Everything but the messages that a handler and the template get.
std::string key_of(const common_chat_templates_inputs& inputs, const std::vector<MessageKinds::Kind>& kinds) {
  FormatKey key;
  key.add(today()).add(order_of(kinds));
  key.add(inputs.add_generation_prompt).add(inputs.enable_thinking).add(inputs.parallel_tool_calls);
  key.add(std::to_string(inputs.reasoning_format)).add(std::to_string(inputs.tool_choice));
  key.add(inputs.json_schema).add(inputs.grammar);
  key.add(std::to_string(inputs.chat_template_kwargs.size()));
  for (const auto& [name, value] : inputs.chat_template_kwargs) key.add(name).add(value);
  for (const common_chat_tool& tool : inputs.tools) key.add(tool.name).add(tool.description).add(tool.parameters);
  return key.text();
}

std::string end_of(const std::string& prompt) { return prompt.substr(prompt.size() - std::min(prompt.size(), kEnd)); }

std::vector<common_chat_msg> messages_at(const std::vector<size_t>& places, const std::vector<common_chat_msg>& all) {
  std::vector<common_chat_msg> some;
  for (const size_t place : places) some.push_back(all[place]);
  return some;
}

}  // namespace

TurnRenderer::TurnRenderer(const common_chat_template& parsed, bool pure, bool adds_bos, bool adds_eos)
    : parsed_(parsed),
      pure_(pure),
      adds_bos_(adds_bos),
      adds_eos_(adds_eos),
      parses_(parsed.original_caps().supports_object_arguments) {
  forget();
}

void TurnRenderer::forget() {
  known_.forget();
  prepared_ = std::make_unique<RecentValues<std::shared_ptr<const Prepared>>>(kMostPrepared, kMostPreparedBytes);
}

TurnRenderer::Turn TurnRenderer::turn_of(const common_chat_templates_inputs& inputs) {
  Turn turn;
  turn.kinds = kinds_.of(inputs.messages);
  turn.ordered = std::ranges::all_of(turn.kinds, &MessageKinds::Kind::ordered);
  turn.key = key_of(inputs, turn.kinds);
  return turn;
}

void TurnRenderer::convert(const std::vector<common_chat_msg>& messages, Turn& turn) {
  turn.conversation = known_.take(messages);
  turn.unknown.clear();
  auto& [known, values] = turn.conversation;
  for (size_t i = known.size(); i < messages.size(); ++i) {
    known.push_back(messages[i]);
    const bool changed = changed_kinds_.contains(turn.kinds[i].number);
    values.push_back(changed ? jinja::value() : value_of_message(messages[i], parses_));
    if (changed) turn.unknown.push_back(i);
  }
}

std::optional<common_chat_params> TurnRenderer::render(common_chat_templates_inputs& inputs, TemplateLimits limits,
                                                       Apply apply) {
  if (inputs.continue_final_message != COMMON_CHAT_CONTINUATION_NONE) return std::nullopt;
  const uint64_t given = changes().given;
  Turn turn = turn_of(inputs);
  if (refused_.find(turn.key)) return std::nullopt;
  convert(inputs.messages, turn);
  std::optional<common_chat_params> rendered;
  const auto known = turn.ordered && turn.unknown.empty() ? prepared_->find(turn.key) : std::nullopt;
  if (known && *known != nullptr) rendered = render_again(**known, turn, inputs, limits);
  if (!rendered && changes().given == given) {
    common_chat_params made;
    std::optional<ValueMembers> others;
    Preparation done = prepare(turn, inputs, apply, made, others);
    if (done == Preparation::kMustRepeat) {
      convert(inputs.messages, turn);
      done = prepare(turn, inputs, apply, made, others);
    }
    if (done == Preparation::kMade) {
      learn(made, std::move(others), turn, inputs, limits);
      rendered = std::move(made);
    } else if (done == Preparation::kRefused) {
      refused_.keep(turn.key, true);
    }
  }
  if (changes().given != given) return std::nullopt;
  if (rendered) known_.keep(std::move(turn.conversation));
  return rendered;
}

TurnRenderer::Preparation TurnRenderer::prepare(Turn& turn, common_chat_templates_inputs& inputs, Apply apply,
                                                common_chat_params& made, std::optional<ValueMembers>& others) {
  std::vector<size_t> places(inputs.messages.size());
  std::iota(places.begin(), places.end(), size_t{0});
  if (turn.ordered) places = sample_of(turn.kinds, turn.unknown);
  const SampledMessages sampled(turn.conversation.values, places);
  const Instead sample(inputs.messages, messages_at(places, inputs.messages));
  Result<common_chat_params> applied = apply(inputs);
  if (!applied.ok()) return Preparation::kFailed;
  if (!sampled.held()) return learn_kinds(sampled.changed(), turn);
  turn.conversation.values = sampled.values();
  made = *std::move(applied);
  others = sampled.others();
  return Preparation::kMade;
}

TurnRenderer::Preparation TurnRenderer::learn_kinds(const std::vector<size_t>& changed, const Turn& turn) {
  const auto can_differ = [&](size_t place) {
    return turn.kinds[place].ordered && !changed_kinds_.contains(turn.kinds[place].number);
  };
  if (changed.empty() || !std::ranges::all_of(changed, can_differ)) return Preparation::kRefused;
  for (const size_t place : changed) changed_kinds_.insert(turn.kinds[place].number);
  forget();
  return Preparation::kMustRepeat;
}

void TurnRenderer::learn(const common_chat_params& result, std::optional<ValueMembers> others, Turn& turn,
                         const common_chat_templates_inputs& inputs, TemplateLimits limits) {
  const size_t bytes = kBytesPerKeyByte * turn.key.size();
  const bool for_turns = turn.ordered && (pure_ || inputs.add_generation_prompt);
  if (!others || !for_turns || bytes > kMostPreparedBytes / 2 || prepared_->find(turn.key)) return;
  // Each variable costs time in each iteration of a loop.
  std::erase_if(*others, [this](const auto& one) {
    return parsed_.source().find(one.first->as_string().str()) == std::string::npos;
  });
  auto prepared = std::make_shared<Prepared>(Prepared{result, end_of(result.prompt), *std::move(others)});
  prepared->result.prompt.clear();
  const auto again = render_again(*prepared, turn, inputs, limits);
  const bool same = again && again->prompt == result.prompt && again->generation_prompt == result.generation_prompt;
  prepared_->keep(turn.key, same ? std::move(prepared) : nullptr, bytes);
}

std::optional<common_chat_params> TurnRenderer::render_again(const Prepared& prepared, Turn& turn,
                                                             const common_chat_templates_inputs& inputs,
                                                             TemplateLimits limits) const {
  const TemplateBudget budget(limits);
  const uint64_t given = changes().given;
  ValueMembers variables = prepared.others;
  const auto messages = jinja::mk_val<jinja::value_array>(turn.conversation.values);
  variables.emplace_back(text_value(kMessages), messages);
  auto [without, with] = render_both(parsed_.prog, parsed_.source(), variables);
  if (changes().given != given) return std::nullopt;
  turn.conversation.values = messages->val_arr;  // those that the program's renderings share
  without = without_added_tokens(std::move(without));
  with = without_added_tokens(std::move(with));
  common_chat_params result = prepared.result;
  std::string turn_begins = with.substr(common_size<char>(without, with));
  result.prompt = inputs.add_generation_prompt ? std::move(with) : std::move(without);
  const bool alike = turn_begins == result.generation_prompt && result.prompt.ends_with(prepared.end);
  if (!pure_ && !alike) return std::nullopt;
  result.generation_prompt = std::move(turn_begins);
  return result;
}

std::string TurnRenderer::without_added_tokens(std::string text) const {
  if (adds_bos_ && text.starts_with(parsed_.bos_token())) text.erase(0, parsed_.bos_token().size());
  if (adds_eos_ && text.ends_with(parsed_.eos_token())) text.resize(text.size() - parsed_.eos_token().size());
  return text;
}

}  // namespace lh
