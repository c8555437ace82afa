#include "generation/call_deltas.h"

#include <algorithm>

#include "generation/answer_messages.h"

namespace lh {
namespace {

constexpr int kShare = 64;  // looking may take at most this fraction of the time: 1 / kShare

// True if the call's id is written after the beginning of its arguments. `at`: where to begin; it is moved forward.
bool has_late_id(const ToolCall& call, std::string_view text, size_t& at) {
  const size_t name = text.find(call.name, at);
  const size_t args = name == std::string_view::npos ? name : text.find('{', name + call.name.size());
  if (args == std::string_view::npos) return false;
  const size_t id = call.id.empty() ? std::string_view::npos : text.find(call.id, at);
  at = args;
  return id != std::string_view::npos && id > args;
}

}  // namespace

void CallDeltas::looked(Clock::time_point begun, Clock::time_point ended) { next_ = ended + kShare * (ended - begun); }

void CallDeltas::see(const std::vector<ToolCall>& calls) {
  if (!wanted()) return;
  for (size_t i = 0; i < calls.size(); ++i) {
    // Before the arguments begin, the id may still be incomplete.
    const bool begun = !calls[i].written.empty() || i + 1 < calls.size();
    // If the parser revises its reading of a partial text, finish() returns false.
    if (!begun || !tell(i, calls[i], calls[i].written)) return;
  }
}

bool CallDeltas::finish(std::vector<ToolCall>& calls, std::string_view text) {
  const bool reading = wanted();
  size_t at = 0;
  for (ToolCall& call : calls) {
    if (has_late_id(call, text, at)) call.id.clear();
  }
  bool same = told_.size() <= calls.size();
  for (size_t i = 0; i < calls.size(); ++i) {
    ToolCall& call = calls[i];
    const std::string args_text = call.written.empty() ? dump_json(call.args) : std::move(call.written);
    call.written.clear();
    if (reading || i < told_.size()) same = tell(i, call, args_text) && same;
    if (i < told_.size() && told_[i].name == call.name) call.id = told_[i].id;
  }
  return same;
}

bool CallDeltas::is_free(const std::string& id) const {
  return !id.empty() && !taken_.contains(id) && std::ranges::find(told_, id, &Told::id) == told_.end();
}

bool CallDeltas::tell(size_t index, const ToolCall& call, const std::string& args_text) {
  if (index > told_.size()) return false;
  const auto at = static_cast<int64_t>(index);
  if (told_.size() == index) {
    told_.push_back({is_free(call.id) ? call.id : new_call_id(), call.name, {}});
    events_.call({at, told_[index].id, call.name, {}});
  }
  Told& told = told_[index];
  if (told.name != call.name || !args_text.starts_with(told.args_text)) return false;
  if (args_text.size() == told.args_text.size()) return true;
  events_.call({at, told.id, told.name, args_text.substr(told.args_text.size())});
  told.args_text = args_text;
  return true;
}

}  // namespace lh
