// Converts text in both directions, and a refused call to a JavaScript Error.
// Must not: supply defaults; TypeScript does that.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "llama_hooks/engine.h"

namespace lh::node {

struct LhFree {
  void operator()(char* block) const noexcept { lh_free(block); }
};
// Text in an lh_alloc block.
using LhText = std::unique_ptr<char, LhFree>;

// An `out` parameter that fills an LhText: f(..., Out(text)).
class Out {
 public:
  explicit Out(LhText& target) : target_(target) {}
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  ~Out() { target_.reset(raw_); }
  operator char**() { return &raw_; }

 private:
  LhText& target_;
  char* raw_ = nullptr;
};
static_assert(!std::is_copy_constructible_v<Out>);

// The string in `value`. A TypeError for anything else, and for text with a NUL character, at which C would truncate
// it.
std::string text_of(const Napi::Value& value, const char* what);
// The same; null and undefined mean no text.
std::optional<std::string> optional_text_of(const Napi::Value& value, const char* what);
inline const char* c_str(const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; }

// Used for text that is only displayed, such as a reason: NUL characters become U+FFFD. Null and undefined mean no
// text.
std::optional<std::string> optional_words_of(const Napi::Value& value, const char* what);

Napi::Array strings_of(Napi::Env env, const std::vector<std::string>& texts);

double number_of(const Napi::Value& value, const char* what);
Napi::Function function_of(const Napi::Value& value, const char* what);

// The string in `value` in an lh_alloc block, with lone surrogates and NUL characters as U+FFFD; null if it is not a
// string.
LhText lh_text_of(napi_env env, napi_value value);
// `text` in an lh_alloc block, with NUL characters as U+FFFD.
LhText lh_copy(std::string text);

// Throws the Error of a refused call: `native` holds the parsed {"code", "message", ...}.
[[noreturn]] void throw_status(Napi::Env env, lh_status status, const LhText& error_json);
// Throws unless `status` is LH_OK.
void check(Napi::Env env, lh_status status, const LhText& error_json = nullptr);

}  // namespace lh::node
