// A model whose answers the functions of a caller make (lh_model_add).
#pragma once

#include <memory>
#include <string>

#include "model/generator.h"
#include "port/own_model.h"
#include "port/piece_queue.h"

namespace lh {

// `params`: of the load, as hooks left it; its context size and `parallel` count.
[[nodiscard]] std::unique_ptr<Generator> make_own_generator(const std::string& id, std::shared_ptr<OwnModel> model,
                                                            const LoadParams& params);

}  // namespace lh

// The handles of engine.h.
struct lh_stream {
  std::shared_ptr<lh::PieceQueue> queue;
  std::shared_ptr<lh::OwnModel> model;  // whose user data the caller uses
};
