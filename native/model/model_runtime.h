// The interface of llama.cpp, in this process or in a child, for everything above it: opens and loads model files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "model/device.h"
#include "model/embedder.h"
#include "model/generator.h"
#include "model/memory_footprint.h"
#include "model/parameters.h"

namespace lh {

// A model as llama.cpp would load it, without its weights, which can be asked about several context sizes.
class MeasuredLoad {
 public:
  virtual ~MeasuredLoad() = default;
  // Takes some milliseconds. Errors: those of the load.
  [[nodiscard]] virtual Result<MemoryFootprint> with_context(int32_t context_size) = 0;
  // The part of the model in lh_model_describe. Takes some milliseconds. Errors: kTemplateFailed, those of the load.
  [[nodiscard]] virtual Result<Json> describe(int32_t context_size) = 0;
};

struct FileFacts {
  uint64_t file_bytes = 0;
  int64_t layers = 0;
  int64_t training_context = 0;  // tokens; 0: the file does not say
  std::string identity;          // of the files and their versions
};

// The checked files of a load. Any thread.
class ModelFiles {
 public:
  virtual ~ModelFiles() = default;
  // The facts of the model file; only the identity also covers the draft model.
  [[nodiscard]] virtual const FileFacts& facts() const = 0;
  // Estimates the memory of a load from the headers alone; with several GPUs, as if only the first existed.
  [[nodiscard]] virtual MemoryFootprint estimate(const LoadParams& params) const = 0;
  // Has llama.cpp perform the whole load without allocating: 30 to 750 ms. Errors: those of the load.
  [[nodiscard]] virtual Result<std::unique_ptr<MeasuredLoad>> measure(const LoadParams& params) const = 0;
  // `progress` (0 to 1) returns false to abort. Blocks while the files are read.
  [[nodiscard]] virtual Result<std::unique_ptr<Generator>> load(const LoadParams& params,
                                                                const std::function<bool(float)>& progress) const = 0;
};

// Receives the deaths and restarts of a runtime. Calls come one at a time, on a thread of the runtime.
class RuntimeListener {
 public:
  virtual ~RuntimeListener() = default;
  // `why`: kEngineCrashed. The calls that computed have already received it.
  virtual void crashed(const Status& why) = 0;
  // The model was lost with it. The next call loads it again, as it was.
  virtual void lost(const Generator& model, const Status& why) = 0;
  virtual void loaded_again(const Generator& model, double load_ms) = 0;
  // A question to the model, such as for the tokens of a text, had got no answer, and is sent once more.
  virtual void sent_again(const Generator& model, const Status& why) = 0;
};

// Any thread.
class ModelRuntime {
 public:
  virtual ~ModelRuntime() = default;
  [[nodiscard]] virtual std::vector<Device> devices() const = 0;
  [[nodiscard]] virtual Json info() const = 0;  // the runtime's part of lh_system_info
  // Checks a model's files, with those of params.draft_model. Errors: kModelFileNotFound, kModelFileInvalid,
  // kUnsupportedArchitecture; the message has the file and the mistake.
  [[nodiscard]] virtual Result<std::shared_ptr<const ModelFiles>> open(const std::string& path,
                                                                       const LoadParams& params) const = 0;
  // The memory that an embedding context will take besides the model, measured as by MeasuredLoad. Errors: those of
  // Embedder::make().
  [[nodiscard]] virtual Result<MemoryUse> embedding_memory(const std::string& path, const LoadParams& params,
                                                           PoolingType pooling) const = 0;
  // Ends running computations with kClosed, if the runtime can do that. Later calls compute nothing.
  virtual void close() {}
  // Sets the listener. Null: none from now on, and no call of the former is under way.
  virtual void listen(RuntimeListener* /*listener*/) {}
};

// The context size of a load, unless it is "auto": the requested one, else the size in the model file, at most 4096.
[[nodiscard]] inline int32_t effective_context_size(int64_t training_context, const LoadParams& params) {
  constexpr int32_t kUsual = 4096;
  if (params.context_size > 0) return params.context_size;
  return static_cast<int32_t>(std::min<int64_t>(training_context > 0 ? training_context : kUsual, kUsual));
}

}  // namespace lh
