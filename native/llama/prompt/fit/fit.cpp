#include "llama/prompt/fit/fit.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/common_size.h"
#include "base/shortage.h"
#include "base/text/format_key.h"
#include "base/threads/cancel.h"
#include "base/threads/mutex.h"
#include "base/threads/recent_values.h"
#include "llama/prompt/fit/folds.h"
#include "llama/prompt/fit/probes.h"

namespace lh {

constexpr int kUndecided = -1;

struct FoldWays {
  FoldWays() {
    for (auto& way : of) way.store(kUndecided, std::memory_order_relaxed);
  }
  std::array<std::atomic<int>, kTraits> of;
  Mutex mutex;
  std::optional<std::string> turn LH_GUARDED_BY(mutex);
};

namespace {

using WaysPtr = std::shared_ptr<FoldWays>;

RecentValues<WaysPtr>& known_ways() {
  // Never destroyed: threads may outlive static teardown.
  static auto* instance = new RecentValues<WaysPtr>(64, 8UL << 20);
  return *instance;
}

// Everything but the messages that may decide what a template renders.
common_chat_templates_inputs probe_inputs(const common_chat_templates_inputs& inputs) {
  common_chat_templates_inputs probe;
  if (!inputs.tools.empty()) probe.tools.push_back(probe_tool());
  probe.tool_choice = COMMON_CHAT_TOOL_CHOICE_NONE;
  probe.reasoning_format = inputs.reasoning_format;
  probe.enable_thinking = inputs.enable_thinking;
  probe.chat_template_kwargs = inputs.chat_template_kwargs;
  probe.now = inputs.now;
  return probe;
}

// A rendering that was stopped says nothing.
bool was_stopped(const Shortage& shortage) { return CancelScope::cancelled() || shortage.seen(); }

std::string difference(common_chat_templates_inputs inputs, const Fit::Render& render) {
  inputs.messages = probe_of_turn();
  const auto begun = render(inputs);
  inputs.add_generation_prompt = false;
  const auto ended = render(inputs);
  if (!begun || !ended) return {};
  return begun->substr(common_size<char>(*begun, *ended));
}

std::string known_turn(FoldWays& ways, const common_chat_templates_inputs& inputs, const Fit::Render& render) {
  {
    const MutexLock lock(ways.mutex);
    if (ways.turn) return *ways.turn;
  }
  const Shortage shortage;
  std::string turn = difference(probe_inputs(inputs), render);
  if (was_stopped(shortage)) return turn;
  const MutexLock lock(ways.mutex);
  ways.turn = turn;
  return turn;
}

using WaysFor = std::function<WaysPtr(const common_chat_templates_inputs& inputs)>;

class Folding {
 public:
  // `inputs`: of the conversation, which say everything but the messages of the probes.
  Folding(const WaysFor& ways_for, CallSpelling spelling, const common_chat_templates_inputs& inputs,
          const Fit::Render& render)
      : ways_for_(ways_for), spelling_(spelling), inputs_(inputs), render_(render) {}

  // `turn`: the assistant's turn follows. Returns a bit for each trait that was folded.
  uint32_t run(ChatMessages& messages, bool turn) {
    uint32_t folded = 0;
    TraitSet traits = traits_of(messages);
    for (size_t i = 0; i < kTraits; ++i) {
      const auto trait = static_cast<Trait>(i);
      if (!has(traits, trait)) continue;
      const int way = way_of(trait);
      if (way <= 0) continue;
      const bool answered = !messages.empty() && is_assistant(messages.back());
      fold(trait, way, spelling_, messages);
      // Without a turn nothing needs to be added at the end.
      if (trait == Trait::kAssistantLast && !turn && answered && !is_assistant(messages.back())) messages.pop_back();
      folded |= 1U << i;
      traits = traits_of(messages);
    }
    return folded;
  }

 private:
  int way_of(Trait trait) {
    if (const auto tried = std::ranges::find(tried_, trait, &Tried::trait); tried != tried_.end()) return tried->way;
    if (!ways_) ways_ = ways_for_(inputs_);
    std::atomic<int>& known = ways_->of[static_cast<size_t>(trait)];
    if (const int way = known.load(std::memory_order_relaxed); way != kUndecided) return way;
    const Shortage shortage;
    const int way = decide(trait);
    if (!was_stopped(shortage)) known.store(way, std::memory_order_relaxed);
    return way;
  }

  struct Tried {
    Trait trait;
    int way;
  };

  // Returns the first way whose prompts have all words; else the first whose prompts lack reasoning only; else 0.
  int decide(Trait trait) {
    const std::vector<Probe> probes = probes_of(trait);
    const bool thinks = std::ranges::any_of(probes, [](const Probe& probe) { return !probe.thought.empty(); }) &&
                        is_whole(probe_of_reasoning(), false);
    for (const bool with_thought : {true, false}) {
      for (int way = 0; way <= ways_of(trait); ++way) {
        tried_.push_back({trait, way});
        const bool whole =
            std::ranges::all_of(probes, [&](const Probe& probe) { return is_whole(probe, thinks && with_thought); });
        tried_.pop_back();
        if (whole) return way;
      }
      if (!thinks) break;
    }
    return 0;
  }

  bool is_whole(const Probe& probe, bool with_thought) {
    common_chat_templates_inputs inputs = probe_inputs(inputs_);
    inputs.messages = probe.messages;
    static_cast<void>(run(inputs.messages, true));
    const auto prompt = render_(inputs);
    if (!prompt || (probe.turn && !prompt->ends_with(known_turn(*ways_, inputs_, render_)))) return false;
    const auto has_word = [&prompt](const std::string& word) { return prompt->find(word) != std::string::npos; };
    return std::ranges::all_of(probe.words, has_word) && (!with_thought || has_word(probe.thought));
  }

  const WaysFor& ways_for_;
  const CallSpelling spelling_;
  const common_chat_templates_inputs& inputs_;
  const Fit::Render& render_;
  WaysPtr ways_;
  std::vector<Tried> tried_;  // ways of traits that are being decided
};

}  // namespace

// llama.cpp's signs for the formats of LFM2, whose models write calls in marks that their templates have no place for.
Fit::Fit(std::string template_key, const std::string& source)
    : template_key_(std::move(template_key)),
      python_calls_(source.find("<|tool_list_start|>") != std::string::npos ||
                    source.find("List of tools: [") != std::string::npos) {}

// A template may decide by a value that it spells out; another one, such as a date, it can only print.
std::string Fit::sort_of(const std::string& value) const {
  const bool text = value.size() > 2 && value.front() == '"';
  if (value.size() <= 2 || template_key_.find(text ? value.substr(1, value.size() - 2) : value) != std::string::npos) {
    return value;
  }
  return value == "true" || value == "false" || value == "null" ? value : value.substr(0, 1);
}

WaysPtr Fit::ways_for(const common_chat_templates_inputs& inputs) const {
  FormatKey key;
  key.add(template_key_).add(inputs.tools.empty()).add(inputs.enable_thinking);
  for (const auto& [name, value] : inputs.chat_template_kwargs) key.add(name).add(sort_of(value));
  if (auto known = known_ways().find(key.text())) return *std::move(known);
  auto ways = std::make_shared<FoldWays>();
  known_ways().keep(key.text(), ways);
  return ways;
}

void Fit::apply(common_chat_templates_inputs& inputs, const Render& render) const {
  const CallSpelling spelling = python_calls_ ? CallSpelling::kPython : CallSpelling::kJson;
  const WaysFor ways = [this](const common_chat_templates_inputs& given) { return ways_for(given); };
  const uint32_t folded = Folding(ways, spelling, inputs, render).run(inputs.messages, inputs.add_generation_prompt);
  if (folded != 0) folded_.fetch_or(folded, std::memory_order_relaxed);
}

std::string Fit::turn(const common_chat_templates_inputs& inputs, const Render& render) const {
  return known_turn(*ways_for(inputs), inputs, render);
}

std::vector<std::string> Fit::folded() const {
  const uint32_t folded = folded_.load(std::memory_order_relaxed);
  std::vector<std::string> names;
  for (size_t i = 0; i < kTraits; ++i) {
    if ((folded >> i & 1U) != 0) names.emplace_back(name_of(static_cast<Trait>(i)));
  }
  return names;
}

}  // namespace lh
