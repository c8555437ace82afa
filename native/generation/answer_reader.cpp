#include "generation/answer_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/names.h"
#include "base/text/utf8.h"
#include "generation/answer_messages.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_generate.h"

namespace lh {
namespace {

constexpr size_t kMostOfRest = 1000;  // characters of an error's message

}  // namespace

Answer AnswerReader::read(Generator& generator, const Prompt& prompt, const SamplingParams& params,
                          const std::set<std::string>& taken) {
  Answer answer;
  if (work_.tokens != nullptr && work_.tokens->left() == 0) {
    answer.finish_reason = FinishReason::kLength;
    return answer;
  }
  // Tokens beyond the limits of the run are not decoded.
  std::optional<SamplingParams> limited;
  if (work_.tokens != nullptr) {
    limited = params;
    limited->max_tokens = std::min(work_.tokens->left(), params.max_tokens.value_or(INT32_MAX));
  }
  auto tokens = generator.start(prompt, limited ? *limited : params, work_.cancel, work_.priority,
                                {scope_.run_id, scope_.session_id, scope_.conversation, scope_.tier});
  if (!tokens.ok()) {
    answer.status = tokens.status();
    answer.finish_reason = FinishReason::kError;
    return answer;
  }
  OutputSplitter::Stops stops{prompt.stops()};
  auto& own_stops = params.stop_in == StopIn::kAll ? stops.anywhere : stops.in_content;
  own_stops.insert(own_stops.end(), params.stop.begin(), params.stop.end());
  Reading reading{OutputSplitter(prompt.format(), std::move(stops), prompt.one_call()),
                  TypedOutput(prompt.one_call()),
                  prompt.is_typed() ? static_cast<AnswerText&>(reading.typed) : reading.splitter,
                  TokenStage(
                      dispatcher_, scope_, [this](const StreamedPiece& piece) { events_.piece(piece); },
                      [this](const Decision& decision) { keep(decisions_, decision); }),
                  CallDeltas(events_, taken),
                  {}};
  const AnswerText& text = reading.text;
  Position at;
  const int32_t most_tokens = std::min(params.max_tokens.value_or(INT32_MAX), generator.context_size());
  answer.status = stream(**tokens, params, most_tokens, reading, at, answer.finish_reason);
  answer.usage = (*tokens)->usage();
  if (const std::string doubt = (*tokens)->doubt(); !doubt.empty()) {
    dispatcher_.error(scope_, code_name(Code::kRemoteFailed), doubt, "generate", true);
  }
  answer.begun = at.first_ms > 0;
  if (prompt.is_typed() && (at.spent || work_.cancel.cancelled())) {
    answer.usage.completion_tokens = std::min(answer.usage.completion_tokens, at.index);
  } else if (prompt.is_typed() && work_.tokens != nullptr) {  // a piece may have been more tokens than it said
    work_.tokens->take(std::max(0, answer.usage.completion_tokens - at.index));
  }
  answer.usage.first_token_ms = at.first_ms;
  if (!prompt.is_typed()) {  // else the model has counted them itself, as far as it can
    // Without tokens decoded ahead of a stop.
    answer.usage.completion_tokens = std::min(answer.usage.completion_tokens, at.index);
    if (!text.output().reasoning.empty()) {
      answer.usage.reasoning_tokens = at.answer_at < 0 ? answer.usage.completion_tokens : at.answer_at;
    }
  }
  if (std::ranges::find(params.stop, text.stop_text()) != params.stop.end()) answer.stop_text = text.stop_text();
  const bool complete = answer.finish_reason == FinishReason::kStop && !text.stopped();
  Status unread = text.status();
  answer.output = output_of(reading, complete, taken, unread);
  if (answer.status.ok() && !work_.cancel.cancelled() && !OutputFormat::is_of_text(unread)) {
    answer.status = std::move(unread);
    answer.finish_reason = FinishReason::kError;
  }
  return answer;
}

Status AnswerReader::stream(TokenStream& stream, const SamplingParams& params, int32_t most_tokens, Reading& reading,
                            Position& at, FinishReason& reason) {
  while (true) {
    TokenStream::Item item = stream.next();
    if (const auto* progressed = std::get_if<PromptProgress>(&item)) {
      progress(*progressed);
    } else if (const auto* token = std::get_if<Token>(&item)) {
      if (reading.splitter.stopped() || at.spent || work_.cancel.cancelled()) continue;  // decoded ahead and discarded
      if (work_.tokens != nullptr && !work_.tokens->take()) {
        at.spent = true;
        stream.stop();
        continue;
      }
      take(*token, params, reading, at);
      if (reading.splitter.stopped()) stream.stop();
    } else if (const auto* piece = std::get_if<TypedPiece>(&item)) {
      if (reading.typed.stopped() || at.spent || work_.cancel.cancelled()) continue;
      // Stops a model that exceeds the limit in its request. A piece counts as a whole.
      if (at.index >= most_tokens || (work_.tokens != nullptr && work_.tokens->left() == 0)) {
        at.spent = true;
        stream.stop();
        continue;
      }
      take(*piece, reading, at);
      if (work_.tokens != nullptr) work_.tokens->take(piece->tokens);
      if (reading.typed.stopped()) stream.stop();
    } else {
      return end(std::get<EndOfStream>(item), reading, at, reason);
    }
  }
}

void AnswerReader::take(const Token& token, const SamplingParams& params, Reading& reading, Position& at) {
  if (at.index == 0) at.first_ms = std::chrono::duration<double, std::milli>(Clock::now() - begun_).count();
  at.token = token.id;
  at.logprob = token.logprob;
  const double* logprob = wants_logprobs(params) ? &at.logprob : nullptr;
  const bool in_read_call = reading.splitter.in_call() && reading.calls.wanted();
  const Clock::time_point begun = in_read_call ? Clock::now() : Clock::time_point();
  const bool looks = in_read_call && reading.calls.due(begun);
  if (looks) reading.splitter.parse_next();
  const size_t parses = reading.splitter.parses();
  if (logprob != nullptr) reading.ratings.add(token, at.index, reading.splitter);
  std::vector<Piece>& pieces = reading.splitter.push(token.bytes);
  if (logprob != nullptr) reading.ratings.settle(reading.splitter);
  for (Piece& piece : pieces) {
    if (at.answer_at < 0 && piece.kind != PieceKind::kReasoning && !piece.text.empty()) at.answer_at = at.index;
    RatedTokens rated = logprob != nullptr ? reading.ratings.take(piece) : RatedTokens();
    reading.stage.piece(at.index, at.token, logprob, std::move(piece), token.top ? &token.top : nullptr,
                        std::move(rated));
  }
  if (reading.splitter.parses() != parses && !reading.splitter.output().tool_calls.empty()) see_calls(reading);
  if (looks) reading.calls.looked(begun, Clock::now());
  ++at.index;
}

void AnswerReader::take(const TypedPiece& piece, Reading& reading, Position& at) {
  if (at.first_ms == 0) at.first_ms = std::chrono::duration<double, std::milli>(Clock::now() - begun_).count();
  if (reading.typed.leaves_call(piece)) reading.stage.flush();
  at.token = -1;
  const Token* const last = piece.rated.empty() ? nullptr : &piece.rated.back();
  for (Piece& part : reading.typed.push(piece)) {
    RatedTokens rated;
    size_t begin = part.begin;
    for (const Token& token : piece.rated) {
      const auto index = at.index + static_cast<int32_t>(rated.size());
      rated.push_back({index, token.id, piece.kind, token.bytes, token.logprob, token.top, begin});
      begin += token.bytes.size();
    }
    reading.stage.piece(at.index, at.token, last != nullptr ? &last->logprob : nullptr, std::move(part),
                        last != nullptr && last->top ? &last->top : nullptr, std::move(rated));
  }
  if (piece.kind == PieceKind::kToolCall) see_calls(reading);
  at.index = piece.tokens > INT32_MAX - at.index ? INT32_MAX : at.index + piece.tokens;
}

// The text that hooks left counts.
void AnswerReader::see_calls(Reading& reading) {
  if (!reading.calls.wanted() || reading.stage.holds()) return;
  if (!reading.stage.changed(PieceKind::kToolCall)) return reading.calls.see(reading.text.output().tool_calls);
  const auto edited = reading.text.edited_calls(reading.stage.call_edits(), AnswerText::Extent::kGrowing);
  if (edited.ok()) reading.calls.see(*edited);
}

Status AnswerReader::end(const EndOfStream& end, Reading& reading, const Position& at, FinishReason& reason) {
  const bool stopped = reading.text.stopped() || (end.reason == StreamEnd::kStop && !at.spent);
  const bool cancelled = work_.cancel.cancelled();
  reason = cancelled                                      ? FinishReason::kCancelled
           : stopped                                      ? FinishReason::kStop
           : at.spent || end.reason == StreamEnd::kLength ? FinishReason::kLength
                                                          : FinishReason::kError;
  // Only a model that ended by itself has completed its sentence and its tool call.
  const bool complete = end.reason == StreamEnd::kStop && !reading.text.stopped() && !cancelled && !at.spent;
  std::vector<Piece>& pieces = reading.text.finish(complete);
  reading.ratings.finish(reading.splitter);
  for (Piece& piece : pieces) {
    RatedTokens rated = reading.ratings.take(piece);
    reading.stage.piece(std::max(0, at.index - 1), at.token, nullptr, std::move(piece), nullptr, std::move(rated));
  }
  reading.stage.flush();
  RatedTokens rest = reading.ratings.take_rest();
  reading.stage.keep_shown(rest);
  events_.add_rated(std::move(rest));
  if (reason != FinishReason::kError) return {};
  return end.reason == StreamEnd::kCancelled ? Status(Code::kClosed, "the model was unloaded") : end.status;
}

void AnswerReader::progress(const PromptProgress& progress) {
  static_cast<void>(fire<points::OnPromptProgress>(dispatcher_, scope_, decisions_, [&progress](const auto& context) {
    context({.processed = progress.processed, .total = progress.total, .cached = progress.cached});
  }));
  events_.progress(progress);
}

// The text after the token hooks counts, not the text that the model wrote. Text that the hooks left unchanged is
// parsed by the model's format. `unread`: receives a parser's failure that does not depend on the text.
ParsedOutput AnswerReader::output_of(Reading& reading, bool complete, const std::set<std::string>& taken,
                                     Status& unread) {
  const TokenStage& stage = reading.stage;
  if (stage.changed()) events_.forget_candidates();
  const bool well_formed = unread.ok() || !OutputFormat::is_of_text(unread);
  if (well_formed) report_unread(reading);
  ParsedOutput output = well_formed ? reading.text.output() : output_of_bad_format(reading);
  // The parser may have revised what it reported while the text was growing.
  bool corrected = !well_formed;
  if (well_formed) {
    const auto take = [&](PieceKind kind, std::string& text) {
      if (stage.changed(kind)) {
        text = stage.text(kind);
      } else if (text != stage.text(kind)) {
        corrected = true;
      }
    };
    take(PieceKind::kContent, output.content);
    take(PieceKind::kReasoning, output.reasoning);
    if (stage.changed(PieceKind::kToolCall)) output.tool_calls = parse_edited_calls(reading, complete, unread);
  }
  const bool same_calls = reading.calls.finish(output.tool_calls, stage.text(PieceKind::kToolCall));
  number_calls(output.tool_calls, taken);
  if (corrected && !stage.changed()) {
    events_.correct(output);
  } else if (corrected) {
    events_.replace(output);
  } else if (!same_calls) {
    events_.replace_calls(output);
  }
  return output;
}

// The message leaves out the unread text if a hook has changed text of the answer.
void AnswerReader::report_unread(const Reading& reading) const {
  const std::optional<Unread>& unread = reading.text.output().unread;
  if (!unread) return;
  std::string message = "the model's output does not follow its format, " + unread->format + ", behind " +
                        std::to_string(unread->at) + " bytes; nothing of it is left out";
  if (!reading.stage.changed()) message += ": " + std::string(first_characters(unread->rest, kMostOfRest));
  dispatcher_.error(scope_, code_name(Code::kOutputUnparsed), message, "generate", true);
}

// Text that looked like calls is content, and its original form must not return this way after hooks changed it.
ParsedOutput AnswerReader::output_of_bad_format(const Reading& reading) {
  const Status& format = reading.text.status();
  dispatcher_.error(scope_, code_name(format.code()), format.message(), "generate", true);
  const TokenStage& stage = reading.stage;
  ParsedOutput output = reading.text.output();
  if (stage.changed(PieceKind::kContent) || stage.changed(PieceKind::kToolCall)) {
    output.content = stage.text(PieceKind::kContent) + stage.text(PieceKind::kToolCall);
  }
  if (stage.changed(PieceKind::kReasoning)) output.reasoning = stage.text(PieceKind::kReasoning);
  return output;
}

std::vector<ToolCall> AnswerReader::parse_edited_calls(const Reading& reading, bool complete, Status& unread) {
  const auto extent = complete ? AnswerText::Extent::kComplete : AnswerText::Extent::kCut;
  auto parsed = reading.text.edited_calls(reading.stage.call_edits(), extent);
  std::vector<ToolCall> calls;
  if (!OutputFormat::is_of_text(parsed.status())) {
    unread = parsed.status();
    return calls;
  }
  if (parsed.ok()) calls = *std::move(parsed);
  std::erase_if(calls, [](const ToolCall& call) { return call.args.is_null(); });
  if (calls.size() < reading.text.output().tool_calls.size()) {
    dispatcher_.error(scope_, code_name(Code::kHookBadAnswer),
                      "what " + shown_point("ON_STREAM_TOKEN") + " hooks made of the tool calls is no tool call",
                      "generate", true);
  }
  return calls;
}

}  // namespace lh
