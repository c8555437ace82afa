// The weights of a file in llama.cpp's form, shared by everything that computes with them.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/system/mapped_files.h"
#include "base/threads/mutex.h"
#include "llama/base/handles.h"

namespace lh {

struct LlamaWeights {
  // `mapped`: the files whose pages are the weights.
  LlamaWeights(ModelPtr of, std::string by, const std::vector<std::string>& mapped)
      : model(std::move(of)), key(std::move(by)), files(mapped) {}
  LlamaWeights(const LlamaWeights&) = delete;
  LlamaWeights& operator=(const LlamaWeights&) = delete;

  const ModelPtr model;
  const std::string key;
  const MappedFiles files;  // to be checked before the weights are used
  // llama.cpp keeps a list of a model's adapters without a lock. Loads and unloads change it, and a context reads it
  // when it builds its graphs: at its creation, and after a change of its adapters.
  Mutex adapter_list;
};
static_assert(!std::is_copy_constructible_v<LlamaWeights>);

}  // namespace lh
