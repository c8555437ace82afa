// A model whose answers the functions of a caller make (lh_model_add).
#pragma once

#include <memory>
#include <string>

#include "model/generator.h"
#include "port/own_model.h"
#include "port/piece_queue.h"
#include "port/pointer_handles.h"

namespace lh {

// `params`: of the load, as hooks left it; its context size and `parallel` count.
[[nodiscard]] std::unique_ptr<Generator> make_own_generator(const std::string& id, std::shared_ptr<OwnModel> model,
                                                            const LoadParams& params);

// An answer that the caller's function holds until it ends the answer.
struct AnswerUnderWay {
  std::shared_ptr<PieceQueue> queue;
  std::shared_ptr<OwnModel> model;  // whose user data the caller uses
};
[[nodiscard]] PointerHandles<lh_stream, AnswerUnderWay>& answers_under_way();

}  // namespace lh
