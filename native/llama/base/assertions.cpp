#include "llama/base/assertions.h"

#include <cstdio>
#include <exception>
#include <string_view>

#include "base/system/log.h"
#include "base/threads/caught_here.h"
#include "ggml.h"
#include "platform/unwinding.h"

namespace lh {
namespace {

// ggml tells the place of an assertion as "/path/of/the/build/llama.cpp/src/models/lfm2.cpp:121: GGML_ASSERT(...)
// failed".
std::string_view within_llama_cpp(std::string_view message) {
  constexpr std::string_view kRoot = "llama.cpp/";
  const size_t at = message.substr(0, message.find(": ")).rfind(kRoot);
  return at == std::string_view::npos ? message : message.substr(at + kRoot.size());
}

bool is_of_a_kernel(std::string_view place) {
  return place.starts_with("ggml/src/ggml-") && place.find("/", 14) < place.find(':');
}

// ggml ends the process when this returns.
void on_failed_assertion(const char* message) {
  const std::string_view told = within_llama_cpp(message);
  const bool throws = CaughtHere::applies() && !is_of_a_kernel(told) && std::uncaught_exceptions() == 0;
  if (throws) throw AssertionFailed("an assertion of llama.cpp failed, " + std::string(told));
  std::fprintf(stderr, "%.*s\n", static_cast<int>(told.size()), told.data());
}

}  // namespace

void throw_failed_assertions() {
  if (exceptions_pass_c()) ggml_set_abort_callback(&on_failed_assertion);
}

}  // namespace lh
