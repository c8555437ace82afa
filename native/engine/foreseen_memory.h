// What loads will take, as llama.cpp says it, asked once for each file and parameters.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/json.h"
#include "base/mutex.h"
#include "base/status.h"
#include "inference/llama_generator.h"
#include "inference/measured_load.h"
#include "inference/parameters.h"

namespace lh {

struct Foreseen {
  Holding use;
  Json weights;  // what is known of them, as lh_model_describe has it
};

class ForeseenMemory {
 public:
  ForeseenMemory() = default;
  ForeseenMemory(const ForeseenMemory&) = delete;
  ForeseenMemory& operator=(const ForeseenMemory&) = delete;

  // One load after another of the same file: where only the context is another size, the file is not gone through
  // again.
  class Questions {
   public:
    // The files must outlive this.
    Questions(ForeseenMemory& known, std::string path, const ModelFiles& files)
        : known_(known), path_(std::move(path)), files_(files) {}
    // Takes up to a second the first time. Errors: those of a load.
    [[nodiscard]] Result<Foreseen> of(const LoadParams& params);
    // Without a context.
    [[nodiscard]] Result<Json> weights_of(const LoadParams& params);

   private:
    [[nodiscard]] Status open(const LoadParams& params);

    ForeseenMemory& known_;
    const std::string path_;
    const ModelFiles& files_;
    std::string opened_;  // with which parameters, but for the size of the context
    std::unique_ptr<MeasuredLoad> load_;
  };

  // Of a context for embeddings on the loaded model.
  [[nodiscard]] Result<Holding> of_embeddings(const std::string& path, const LoadParams& params, PoolingType pooling);

 private:
  [[nodiscard]] std::optional<Foreseen> known(const std::string& key);
  void keep(const std::string& key, const Foreseen& foreseen);

  Mutex mutex_;
  std::map<std::string, Foreseen> known_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<ForeseenMemory>);

}  // namespace lh
