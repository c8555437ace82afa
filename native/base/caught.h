// Converts the exception being handled to a Status. Must not: be called outside a catch block.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "base/shortage.h"
#include "base/status.h"

namespace lh {

// An exhausted machine has a separate code, because it is not a defect of the library. llama.cpp's template interpreter
// wraps a std::bad_alloc in an exception with the same words. A grammar or a template may contain these words, too, so
// they count only if an allocation has failed. May throw std::bad_alloc.
inline Status caught() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {Code::kInsufficientMemory, "out of memory"};
  } catch (const std::system_error& error) {
    // The one error of starting a thread, for the limit of threads as well as for a lack of memory for the stack.
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    if (!no_thread) return {Code::kInternal, error.what()};
    return {Code::kNoThread, std::string("no thread could be started: ") + error.what()};
  } catch (const std::exception& error) {
    if (Shortage::ever() && std::string_view(error.what()).find("bad_alloc") != std::string_view::npos) {
      return {Code::kInsufficientMemory, "out of memory"};
    }
    return {Code::kInternal, error.what()};
  } catch (...) {
    return {Code::kInternal, "an exception that is not a std::exception"};
  }
}

// The same for an exception of code from elsewhere, which means `code`, with the exception's words after `before`. The
// code of an exhausted machine stays as in caught(): every catch block that reports an exception under a code uses this
// function.
inline Status caught_as(Code code, std::string_view before = {}) {
  Status what = caught();
  if (what.code() != Code::kInternal) return what;
  return {code, std::string(before) + what.message()};
}

// Called in a catch block that drops the exception: rethrows exhausted memory, which the code that started the work
// reports.
inline void pass_on_no_memory() {
  if (caught().code() == Code::kInsufficientMemory) throw;
}

}  // namespace lh
