#include "inference/llama_model_file.h"

#include <exception>

#include "inference/llama_runtime.h"

namespace lh {
namespace {

// Decides what a failed load was: llama.cpp has one way to say no and words for the reason.
Status load_failure(const std::string& path, const std::string& words) {
  if (words.find("unknown model architecture") != std::string::npos) {
    return Status(Code::kUnsupportedArchitecture, path + ": " + words);
  }
  // "bad_alloc" is what libstdc++ says, "Cannot allocate memory" the system where a file cannot be mapped.
  for (const char* sign : {"failed to allocate", "unable to allocate", "bad_alloc", "Cannot allocate memory"}) {
    if (words.find(sign) != std::string::npos) return Status(Code::kInsufficientMemory, path + ": " + words);
  }
  return Status(Code::kModelLoadFailed,
                path + ": " + (words.empty() ? std::string("llama.cpp gave no reason") : words));
}

}  // namespace

std::string weights_key(const GgufSummary& file, const LoadParams& params) {
  return file.identity + std::to_string(has_gpu() ? params.gpu_layers : 0) + (params.mmap ? " mmap" : "");
}

Result<ModelPtr> open_model(const std::string& path, const LoadParams& params, Weights weights,
                            const std::function<bool(float)>& progress) {
  settle_devices();
  llama_model_params settings = llama_model_default_params();
  settings.n_gpu_layers = has_gpu() ? params.gpu_layers : 0;
  static ggml_backend_dev_t no_devices[] = {
      nullptr};  // without, every GPU would get a context and buffers all the same
  if (settings.n_gpu_layers == 0) settings.devices = no_devices;
  settings.load_mode = params.mmap ? LLAMA_LOAD_MODE_AUTO : LLAMA_LOAD_MODE_NONE;
  if (weights == Weights::kMeasured) {
    settings.no_alloc = true;
    settings.load_mode = LLAMA_LOAD_MODE_NONE;  // mapping would be reading
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
    return load_failure(path, error.what());
  }
  if (aborted) return Status(Code::kCancelled, "loading " + path + " was cancelled");
  if (!model) return load_failure(path, capture.text());
  if (llama_model_has_encoder(model.get()) || !llama_model_has_decoder(model.get())) {
    return Status(Code::kUnsupportedArchitecture,
                  path + " is not a model that writes text: it has " +
                      (llama_model_has_decoder(model.get()) ? "an encoder" : "no decoder"));
  }
  return model;
}

}  // namespace lh
