// Errors as values: every fallible function of the engine returns a Status or a Result<T>.
// Must not: throw, or carry a code that is not in the list of engine.h.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace lh {

// The stable codes of engine.h (LH_ERR_*), in the same order and with the same numbers.
enum class Code : int {
  kOk = 0,
  kInvalidArgument = 1,
  kNotFound = 2,
  kClosed = 3,
  kCancelled = 4,
  kReentrant = 5,
  kInternal = 6,
  kModelFileNotFound = 20,
  kModelFileInvalid = 21,
  kUnsupportedArchitecture = 22,
  kModelLoadFailed = 23,
  kInsufficientMemory = 24,
  kModelNotLoaded = 25,
  kModelInUse = 26,
  kPromptTooLong = 40,
  kInvalidGrammar = 41,
  kInvalidSchema = 42,
  kInvalidMessages = 43,
  kTemplateFailed = 44,
  kDecodeFailed = 45,
  kToolsUnsupported = 46,
  kOutputTooDeep = 47,
  kHookCancelled = 60,
  kHookFailed = 61,
  kHookTimeout = 62,
  kHookBadAnswer = 63,
  kUnknownHookPoint = 64,
  kLibraryNotLoaded = 65,
  kSymbolNotFound = 66,
  kRetryLimit = 67,
  kBackendUnavailable = 80,
  kVersionMismatch = 81,
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  [[nodiscard]] bool ok() const { return code_ == Code::kOk; }
  [[nodiscard]] Code code() const { return code_; }
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] const Status& status() const { return status_; }
  T& operator*() & { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  const T& operator*() const& { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

// The stable upper-case name of a code ("MODEL_FILE_NOT_FOUND"), as users see it.
const char* code_name(Code code);

}  // namespace lh
