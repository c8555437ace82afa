// Reads one answer of a model: passes its tokens or pieces through the token hooks, and collects the resulting answer.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "generation/call_deltas.h"
#include "generation/event_stream.h"
#include "generation/output/output_splitter.h"
#include "generation/output/token_ratings.h"
#include "generation/output/typed_output.h"
#include "generation/work.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/generator.h"

namespace lh {

// The answer of a model and its end. If the status is an error: the part until then. Each tool call has an id.
struct Answer {
  Status status;
  ParsedOutput output;
  FinishReason finish_reason = FinishReason::kStop;
  std::string stop_text;  // the caller's stop text that ended it; empty: none did
  bool begun = false;     // a token or a piece was received
  Usage usage;
};

class AnswerReader {
 public:
  using Clock = std::chrono::steady_clock;

  // Receives the hooks' decisions in `decisions`. `begun`: when the call began. All arguments outlive the reader.
  AnswerReader(const Dispatcher& dispatcher, const Scope& scope, const Work& work, EventStream& events,
               std::vector<Decision>& decisions, Clock::time_point begun)
      : dispatcher_(dispatcher), scope_(scope), work_(work), events_(events), decisions_(decisions), begun_(begun) {}
  AnswerReader(const AnswerReader&) = delete;
  AnswerReader& operator=(const AnswerReader&) = delete;

  // `taken`: ids that no tool call of the answer may have.
  [[nodiscard]] Answer read(Generator& generator, const Prompt& prompt, const SamplingParams& params,
                            const std::set<std::string>& taken);

 private:
  // The position in the stream of tokens.
  struct Position {
    int32_t index = 0;  // tokens read
    int32_t token = -1;
    double logprob = 0;
    int32_t answer_at = -1;  // the first token with text of the answer or of a call; -1: none yet
    double first_ms = 0;     // from the beginning to the first token
    bool spent = false;      // the budget or the limit is exhausted: the rest does not count
  };

  // The way of an answer's text.
  struct Reading {
    OutputSplitter splitter;  // of tokens
    TypedOutput typed;        // of pieces
    AnswerText& text;         // one of the two
    TokenStage stage;
    CallDeltas calls;
    TokenRatings ratings;
  };

  // `most_tokens`: of an answer that comes in pieces.
  [[nodiscard]] Status stream(TokenStream& stream, const SamplingParams& params, int32_t most_tokens, Reading& reading,
                              Position& at, FinishReason& reason);
  void take(const Token& token, const SamplingParams& params, Reading& reading, Position& at);
  void take(const TypedPiece& piece, Reading& reading, Position& at);
  void see_calls(Reading& reading);
  [[nodiscard]] Status end(const EndOfStream& end, Reading& reading, const Position& at, FinishReason& reason);
  void progress(const PromptProgress& progress);
  [[nodiscard]] ParsedOutput output_of(Reading& reading, bool complete, const std::set<std::string>& taken,
                                       Status& unread);
  void report_unread(const Reading& reading) const;
  [[nodiscard]] ParsedOutput output_of_bad_format(const Reading& reading);
  [[nodiscard]] std::vector<ToolCall> parse_edited_calls(const Reading& reading, bool complete, Status& unread);

  const Dispatcher& dispatcher_;
  const Scope& scope_;
  const Work& work_;
  EventStream& events_;
  std::vector<Decision>& decisions_;
  const Clock::time_point begun_;
};
static_assert(!std::is_copy_constructible_v<AnswerReader>);

}  // namespace lh
