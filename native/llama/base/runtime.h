// llama.cpp's per-process state: libraries, backends, log. The only mutable globals of the project are in its .cpp.
// Must not: unload backends; other environments of the process may use them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "model/device.h"

namespace lh {

// The backends that an engine needs from the process's llama.cpp.
struct RuntimeOptions {
  std::string libraries;   // folder of ggml's CPU backends
  std::string gpu_module;  // path of one more backend module, or empty
};

// Checks the release, and loads the backends at the first call. Later calls must not need anything that is not loaded
// yet, except a GPU module while no model has been loaded: two variants in one process would mix two copies of
// libllama.
Status init_runtime(const RuntimeOptions& options);

// A model is about to be opened: from now on no module can be loaded.
void settle_devices();

std::vector<Device> devices();
Json runtime_info();

// Returns the words of a line, or of an exception, without the quoted parts: these are names, which may come from a
// file. Only these words may decide the code of an error.
[[nodiscard]] std::string own_words(std::string line);

// Collects the error lines that llama.cpp logs on this thread during its lifetime: the reason of a load that returns
// null.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  [[nodiscard]] std::string text() const;       // the lines, joined by "; "
  [[nodiscard]] std::string own_words() const;  // the same of each line's own_words()
  void add(std::string_view line);

 private:
  LogCapture* outer_;
  std::vector<std::string> lines_;
};
static_assert(!std::is_copy_constructible_v<LogCapture>);

// True if ggml uses the matrix unit of newer Intel processors (AMX).
[[nodiscard]] bool cpu_has_amx();

}  // namespace lh
