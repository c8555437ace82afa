// The functions of engine.h for models of the caller. Must not: hold policy; each one casts, guards and calls.
#include <memory>
#include <string>
#include <utility>

#include "abi/engine_calls.h"
#include "base/text/utf8.h"
#include "port/counted.h"
#include "port/own_generator.h"
#include "port/stream_json.h"

using lh::Engine;
using lh::Result;
using lh::Status;
using lh::abi::guard;
using lh::abi::missing;
using lh::abi::start_task;
using lh::abi::text_or_empty;

namespace {

constexpr const char* kNoAnswer = "stream is none that is under way: it has ended, or \"generate\" has refused it";

}  // namespace

extern "C" {

lh_status lh_model_add(lh_engine* engine, const char* id, const char* description_json, const lh_generator* generator,
                       const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      if (generator == nullptr) return missing("generator");
                      const auto functions = lh::read_struct(*generator, LH_GENERATOR_INIT, "generator");
                      if (!functions.ok()) return functions.status();
                      if (functions->generate == nullptr) return missing("generator.generate");
                      auto description = lh::parse_own_model(description_json == nullptr ? "{}" : description_json);
                      if (!description.ok()) return description.status();
                      const auto model = lh::OwnModel::create(*std::move(description), *functions);
                      if (!model.ok()) return model.status();
                      auto started = it.add(lh::to_utf8(text_or_empty(id)), *model, to);
                      if (started.ok()) (*model)->keep();
                      return started;
                    });
}

lh_status lh_stream_piece(lh_stream* stream, const char* piece_json, char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (stream == nullptr) return missing("stream");
    const auto answer = lh::answers_under_way().find(stream);
    if (answer == nullptr) return {lh::Code::kInvalidArgument, kNoAnswer};
    auto piece = lh::read_piece(text_or_empty(piece_json));
    return piece.ok() ? answer->queue->push(*std::move(piece)) : piece.status();
  });
}

lh_status lh_stream_progress(lh_stream* stream, int32_t processed, int32_t total, int32_t cached) LH_NOEXCEPT {
  return guard(nullptr, [&]() -> Status {
    if (stream == nullptr) return missing("stream");
    const auto answer = lh::answers_under_way().find(stream);
    if (answer == nullptr) return {lh::Code::kInvalidArgument, kNoAnswer};
    if (cached < 0 || processed < cached || total < processed) {
      return {lh::Code::kInvalidArgument, "cached, processed and total must be in this order, from 0 up"};
    }
    return answer->queue->progress({processed, total, cached});
  });
}

lh_status lh_stream_on_wake(lh_stream* stream, void (*wake)(void* user_data), void* user_data) LH_NOEXCEPT {
  return guard(nullptr, [&]() -> Status {
    if (stream == nullptr) return missing("stream");
    const auto answer = lh::answers_under_way().find(stream);
    if (answer == nullptr) return {lh::Code::kInvalidArgument, kNoAnswer};
    answer->queue->on_wake(wake, user_data);
    return {};
  });
}

lh_status lh_stream_end(lh_stream* stream, lh_status status, const char* end_json, char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (stream == nullptr) return missing("stream");
    const auto owned = lh::answers_under_way().take(stream);
    if (owned == nullptr) return {lh::Code::kInvalidArgument, kNoAnswer};
    owned->queue->on_wake(nullptr, nullptr);
    auto end = lh::read_stream_end(lh::code_of(status), text_or_empty(end_json));
    if (!end.ok()) {
      Status failed(lh::Code::kRemoteFailed, "its end: " + end.status().message());
      owned->queue->end({{lh::StreamEnd::kError, std::move(failed)}, {}, {}});
      return end.status();
    }
    if (!end->doubt.empty()) end->doubt.insert(0, owned->model->name() + ": ");
    owned->queue->end(*std::move(end));
    return {};
  });
}

lh_status lh_count_end(lh_count* count, lh_status status, int32_t tokens, const char* message) LH_NOEXCEPT {
  return guard(nullptr, [&]() -> Status {
    if (count == nullptr) return missing("count");
    const auto owned = lh::counts_under_way().take(count);
    if (owned == nullptr) return {lh::Code::kInvalidArgument, "count is none that is under way: it was answered"};
    const bool counted = status == LH_OK && tokens >= 0;
    if (counted) {
      lh::answer_count(*owned->answer, static_cast<int64_t>(tokens));
      return {};
    }
    const lh::Code code = status == LH_OK ? lh::Code::kInvalidArgument : lh::code_of(status);
    const char* const given = status == LH_OK ? "tokens is negative" : message;
    const std::string why(given == nullptr ? "no reason was given" : given);
    lh::answer_count(*owned->answer, Status(code, "the prompt was not counted: " + lh::to_utf8(why)));
    return status == LH_OK ? Status(code, "tokens is negative") : Status();
  });
}

}  // extern "C"
