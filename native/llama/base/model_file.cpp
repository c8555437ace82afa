#include "llama/base/model_file.h"

#include <exception>

#include "llama/base/architectures.h"
#include "llama/base/device_choice.h"
#include "llama/base/placement.h"
#include "llama/base/runtime.h"

namespace lh {
namespace {

// Classifies a failed load: llama.cpp reports all failures alike, with the reason as text. `reason`:
// own_words() of `words`.
Status load_failure(const std::string& path, const std::string& words, const std::string& reason) {
  if (reason.find("unknown model architecture") != std::string::npos) {
    return Status(Code::kUnsupportedArchitecture, path + ": " + words);
  }
  // "bad_alloc" comes from libstdc++, "Cannot allocate memory" from the system if a file cannot be mapped.
  for (const char* sign : {"failed to allocate", "unable to allocate", "bad_alloc", "Cannot allocate memory"}) {
    if (reason.find(sign) != std::string::npos) return Status(Code::kInsufficientMemory, path + ": " + words);
  }
  return Status(Code::kModelLoadFailed,
                path + ": " + (words.empty() ? std::string("llama.cpp gave no reason") : words));
}

}  // namespace

std::string weights_key(const GgufSummary& file, const LoadParams& params) {
  std::string key = file.identity + (params.mmap ? " mmap" : "");
  const std::vector<Device> gpus = gpus_of(params);
  if (gpus.empty()) return key;
  key += " layers " + std::to_string(params.gpu_layers) + " experts " + std::to_string(params.cpu_moe) + " mode " +
         std::to_string(static_cast<int>(params.split_mode));
  for (const Device& one : gpus) key += " on " + one.name;
  if (params.tensor_split) key += " split " + dump_json(*params.tensor_split);
  return key;
}

Result<ModelPtr> open_model(const std::string& path, const LoadParams& params, Weights weights,
                            const std::function<bool(float)>& progress) {
  settle_devices();
  llama_model_params settings = llama_model_default_params();
  if (Status status = check_placement(params); !status.ok()) return status;
  Placement placement(params);
  placement.apply(settings);
  // Recurrent layers multiply weights by the tokens of several sequences at once. For the second sequence ggml's AMX
  // kernels read past the weights and write past the result (ggml-cpu/amx/mmq.cpp, ggml_batch_offset).
  if (cpu_has_amx() && file_is_recurrent(path)) settings.use_extra_bufts = false;
  settings.load_mode = params.mmap ? LLAMA_LOAD_MODE_AUTO : LLAMA_LOAD_MODE_NONE;
  if (weights == Weights::kMeasured) {
    settings.no_alloc = true;
    settings.load_mode = LLAMA_LOAD_MODE_NONE;  // mapping would read the file
  }
  bool aborted = false;
  const std::function<bool(float)> report = [&](float fraction) {
    aborted = !progress(fraction);
    return !aborted;
  };
  settings.progress_callback = [](float fraction, void* user) {
    return (*static_cast<const std::function<bool(float)>*>(user))(fraction);
  };
  settings.progress_callback_user_data = const_cast<std::function<bool(float)>*>(&report);
  LogCapture capture;
  ModelPtr model;
  try {
    model.reset(llama_model_load_from_file(path.c_str(), settings));
  } catch (const std::exception& error) {
    return load_failure(path, error.what(), own_words(error.what()));
  }
  if (aborted) return Status(Code::kCancelled, "loading " + path + " was cancelled");
  if (!model) return load_failure(path, capture.text(), capture.own_words());
  if (llama_model_has_encoder(model.get()) || !llama_model_has_decoder(model.get())) {
    const char* what =
        llama_model_has_decoder(model.get()) ? "an encoder-decoder" : "the encoder of an encoder-decoder";
    return Status(Code::kUnsupportedArchitecture,
                  path + " is " + what + "; models in the manner of T5 are not supported");
  }
  return model;
}

}  // namespace lh
