#include "engine/memory/memory_forecast.h"

#include "base/json/json.h"
#include "model/device_choice.h"
#include "platform/files.h"

namespace lh {
namespace {

// Without what says only when the model is loaded and given up.
LoadParams measured_by(LoadParams params) {
  params.lazy = params.pinned = false;
  params.keep_alive.reset();
  return params;
}

}  // namespace

Status MemoryForecast::Questions::open(const LoadParams& params) {
  LoadParams same = params;
  same.context_size = 0;
  std::string wanted = dump_json(to_json(same));
  if (load_ && opened_ == wanted) return {};
  load_.reset();
  auto load = files_->measure(params);
  if (!load.ok()) return load.status();
  load_ = *std::move(load);
  opened_ = std::move(wanted);
  return {};
}

std::string MemoryForecast::Questions::key_of(const LoadParams& params) const {
  std::string key = files_->facts().identity + dump_json(to_json(measured_by(params)));
  // llama.cpp shares a model between several by what each has free.
  if (const auto gpus = gpus_of(params, known_.runtime_.devices()); gpus.size() > 1 && !params.tensor_split) {
    for (const Device& one : gpus) key += '\n' + std::to_string(one.free_bytes);
  }
  return key;
}

Result<MemoryFootprint> MemoryForecast::Questions::of(const LoadParams& params) {
  const std::string key = key_of(params);
  if (auto found = known_.uses_.find(key)) return *std::move(found);
  if (Status status = open(params); !status.ok()) return status;
  auto use = load_->with_context(params.context_size);
  if (use.ok()) known_.uses_.keep(key, *use);
  return use;
}

Result<Json> MemoryForecast::Questions::describe(const LoadParams& params) {
  const std::string key = key_of(params);
  if (auto found = known_.descriptions_.find(key)) return *std::move(found);
  if (Status status = open(params); !status.ok()) return status;
  auto description = load_->describe(params.context_size);
  if (description.ok()) known_.descriptions_.keep(key, *description);
  return description;
}

Result<MemoryFootprint> MemoryForecast::of_embeddings(const std::string& path, const LoadParams& params,
                                                      PoolingType pooling) {
  const std::string key = file_identity(path) + dump_json(to_json(measured_by(params))) + pooling_name(pooling);
  if (auto found = uses_.find(key)) return *std::move(found);
  auto own = runtime_.embedding_memory(path, params, pooling);
  if (!own.ok()) return own.status();
  MemoryFootprint use{*std::move(own), {}};
  uses_.keep(key, use);
  return use;
}

}  // namespace lh
