// The weights of a file as llama.cpp holds them, for all who compute with them.
// Must not: know who does.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "base/threads/mutex.h"
#include "llama/base/handles.h"

namespace lh {

struct LlamaWeights {
  LlamaWeights(ModelPtr of, std::string by) : model(std::move(of)), key(std::move(by)) {}
  LlamaWeights(const LlamaWeights&) = delete;
  LlamaWeights& operator=(const LlamaWeights&) = delete;

  const ModelPtr model;
  const std::string key;
  // llama.cpp lists a model's adapters: loads and unloads change the list, and a context reads it, unprotected, when it
  // makes its graphs: when it is made, and anew after a change of its adapters.
  Mutex adapter_list;
};
static_assert(!std::is_copy_constructible_v<LlamaWeights>);

}  // namespace lh
