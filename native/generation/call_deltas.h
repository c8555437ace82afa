// Reports the tool calls of a message while the model writes them: id and name first, then the JSON of the arguments
// piece by piece. Must not: be asked to look at a call without a reader.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "generation/event_stream.h"
#include "model/conversation.h"

namespace lh {

class CallDeltas {
 public:
  using Clock = std::chrono::steady_clock;

  // `taken`: ids that no call of the message may have.
  CallDeltas(EventStream& events, const std::set<std::string>& taken) : events_(events), taken_(taken) {}
  CallDeltas(const CallDeltas&) = delete;
  CallDeltas& operator=(const CallDeltas&) = delete;

  [[nodiscard]] bool wanted() const { return events_.wanted(); }
  // True if a call under way should be parsed again. To parse it at each token would cost the square of its length, so
  // looks take a small share of the time.
  [[nodiscard]] bool due(Clock::time_point now) const { return now >= next_; }
  void looked(Clock::time_point begun, Clock::time_point ended);

  // Reports the parts of `calls`, as far as they are written, that have not been reported.
  void see(const std::vector<ToolCall>& calls);
  // Reports the rest. Each call that has been reported keeps the id under which it was reported. False: the calls
  // differ from what has been reported. `text`: the text in which the calls are written. An id that is written after
  // the arguments comes too late for readers of the call, so such a call gets another id, whether there is a reader or
  // not.
  [[nodiscard]] bool finish(std::vector<ToolCall>& calls, std::string_view text);

 private:
  struct Told {
    std::string id;
    std::string name;
    std::string args_text;
  };

  // False: the call is not the one that has been reported.
  bool tell(size_t index, const ToolCall& call, const std::string& args_text);

  [[nodiscard]] bool is_free(const std::string& id) const;

  EventStream& events_;
  const std::set<std::string>& taken_;
  std::vector<Told> told_;
  Clock::time_point next_;
};
static_assert(!std::is_copy_constructible_v<CallDeltas>);

}  // namespace lh
