#include "generation/answer_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "generation/decision_log.h"

namespace lh {

Answer AnswerReader::read(Generator& generator, const Prompt& prompt, const SamplingParams& params) {
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
  auto tokens = generator.start(prompt, limited ? *limited : params, work_.cancel, work_.priority);
  if (!tokens.ok()) {
    answer.status = tokens.status();
    answer.finish_reason = FinishReason::kError;
    return answer;
  }
  std::vector<std::string> stops = prompt.stops();
  stops.insert(stops.end(), params.stop.begin(), params.stop.end());
  OutputSplitter splitter(prompt.format(), std::move(stops));
  TokenStage stage(
      dispatcher_, scope_, [this](const StreamedPiece& piece) { events_.piece(piece); },
      [this](const Decision& decision) { keep(decisions_, decision); });
  Position at;
  answer.status = stream(**tokens, params, splitter, stage, at, answer.finish_reason);
  answer.usage = (*tokens)->usage();
  answer.usage.completion_tokens =
      std::min(answer.usage.completion_tokens, at.index);  // without tokens decoded ahead of a stop
  answer.usage.first_token_ms = at.first_ms;
  if (!splitter.output().reasoning.empty()) {
    answer.usage.reasoning_tokens = at.answer_at < 0 ? answer.usage.completion_tokens : at.answer_at;
  }
  if (std::ranges::find(params.stop, splitter.stop_text()) != params.stop.end())
    answer.stop_text = splitter.stop_text();
  answer.output = take(prompt, splitter, stage, answer.finish_reason == FinishReason::kStop && !splitter.stopped());
  return answer;
}

Status AnswerReader::stream(TokenStream& stream, const SamplingParams& params, OutputSplitter& splitter,
                            TokenStage& stage, Position& at, FinishReason& reason) {
  while (true) {
    TokenStream::Item item = stream.next();
    if (const auto* progressed = std::get_if<PromptProgress>(&item)) {
      progress(*progressed);
    } else if (const auto* token = std::get_if<Token>(&item)) {
      if (splitter.stopped() || at.spent || work_.cancel.cancelled()) continue;  // decoded ahead and discarded
      if (work_.tokens != nullptr && !work_.tokens->take()) {
        at.spent = true;
        stream.stop();
        continue;
      }
      if (at.index == 0) at.first_ms = std::chrono::duration<double, std::milli>(Clock::now() - begun_).count();
      at.token = token->id;
      at.logprob = token->logprob;
      const double* logprob = wants_logprobs(params) ? &at.logprob : nullptr;
      for (Piece& piece : splitter.push(token->bytes)) {
        if (at.answer_at < 0 && piece.kind != PieceKind::kReasoning && !piece.text.empty()) at.answer_at = at.index;
        stage.piece(at.index, at.token, logprob, std::move(piece), token->top ? &token->top : nullptr);
      }
      ++at.index;
      if (splitter.stopped()) stream.stop();
    } else {
      return end(std::get<EndOfStream>(item), splitter, stage, at, reason);
    }
  }
}

Status AnswerReader::end(const EndOfStream& end, OutputSplitter& splitter, TokenStage& stage, const Position& at,
                         FinishReason& reason) {
  const bool stopped = splitter.stopped() || (end.reason == StreamEnd::kStop && !at.spent);
  const bool cancelled = work_.cancel.cancelled();
  reason = cancelled                                      ? FinishReason::kCancelled
           : stopped                                      ? FinishReason::kStop
           : at.spent || end.reason == StreamEnd::kLength ? FinishReason::kLength
                                                          : FinishReason::kError;
  // Only a model that ended by itself has completed its sentence and its tool call.
  const bool complete = end.reason == StreamEnd::kStop && !splitter.stopped() && !cancelled && !at.spent;
  for (Piece& piece : splitter.finish(complete)) {
    stage.piece(std::max(0, at.index - 1), at.token, nullptr, std::move(piece));
  }
  stage.flush();
  if (reason != FinishReason::kError) return {};
  return end.reason == StreamEnd::kCancelled ? Status(Code::kClosed, "the model was unloaded") : end.status;
}

void AnswerReader::progress(const PromptProgress& progress) {
  const Outcome outcome = dispatcher_.fire(LH_HOOK_ON_PROMPT_PROGRESS, scope_, [&progress](std::string& out) {
    append_members(out, {{"processed", progress.processed}, {"total", progress.total}, {"cached", progress.cached}});
  });
  keep(decisions_, outcome->decision);
  events_.progress(progress);
}

// The text after the token hooks counts, not the text that the model wrote. Text that the hooks left unchanged is
// parsed by the model's format.
ParsedOutput AnswerReader::take(const Prompt& prompt, const OutputSplitter& splitter, const TokenStage& stage,
                                bool complete) {
  const Status& format = splitter.status();
  if (!format.ok()) dispatcher_.error(scope_, code_name(format.code()), format.message(), "generate", true);
  ParsedOutput output = splitter.output();
  const bool content_changed = stage.changed(PieceKind::kContent);
  const bool reasoning_changed = stage.changed(PieceKind::kReasoning);
  const bool calls_changed = stage.changed(PieceKind::kToolCall);
  if (stage.changed()) events_.forget_candidates();
  if (!format.ok()) {
    // Text that looked like calls is content, and its original form must not return this way after hooks changed it.
    if (content_changed || calls_changed) {
      output.content = stage.text(PieceKind::kContent) + stage.text(PieceKind::kToolCall);
    }
    if (reasoning_changed) output.reasoning = stage.text(PieceKind::kReasoning);
    events_.replace(output);
    return output;
  }
  if (content_changed) output.content = stage.text(PieceKind::kContent);
  if (reasoning_changed) output.reasoning = stage.text(PieceKind::kReasoning);
  if (calls_changed) output.tool_calls = parse_edited_calls(prompt, splitter, stage, complete);
  // The parser may have revised what it reported while the text was growing.
  const bool corrected = (!content_changed && output.content != stage.text(PieceKind::kContent)) ||
                         (!reasoning_changed && output.reasoning != stage.text(PieceKind::kReasoning));
  if (corrected) events_.replace(output);
  return output;
}

// Parses with all the text before them: many formats recognise a call only by its context.
std::vector<ToolCall> AnswerReader::parse_edited_calls(const Prompt& prompt, const OutputSplitter& splitter,
                                                       const TokenStage& stage, bool complete) {
  auto parsed = prompt.format().parse(apply(stage.call_edits(), splitter.text()), !complete);
  std::vector<ToolCall> calls;
  if (parsed.ok()) calls = std::move(parsed->tool_calls);
  std::erase_if(calls, [](const ToolCall& call) { return call.args.is_null(); });
  if (calls.size() < splitter.output().tool_calls.size()) {
    dispatcher_.error(scope_, code_name(Code::kHookBadAnswer),
                      "what ON_STREAM_TOKEN hooks made of the tool calls is no tool call", "generate", true);
  }
  return calls;
}

}  // namespace lh
