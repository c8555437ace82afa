// Converts the exception being handled to a Status. Must not: be called outside a catch block.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "base/status.h"

namespace lh {

// A machine at its limits gets its own code: it is not a defect of the library. May throw std::bad_alloc.
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
    return {Code::kInternal, error.what()};
  } catch (...) {
    return {Code::kInternal, "an exception that is not a std::exception"};
  }
}

}  // namespace lh
