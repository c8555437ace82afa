// Values across the border: text in and out, and a refused call as a JavaScript Error.
// Must not: decide anything, or supply defaults.
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
// Text in a block of lh_alloc.
using LhText = std::unique_ptr<char, LhFree>;

// An `out` parameter that ends in an LhText: f(..., Out(text)).
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

// The string in `value`; a TypeError for anything else, and for text that C would cut at a NUL character.
std::string text_of(const Napi::Value& value, const char* what);
// The same, where null and undefined stand for no text.
std::optional<std::string> optional_text_of(const Napi::Value& value, const char* what);
inline const char* c_str(const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; }

// For words that are only shown, such as a reason: NUL characters become U+FFFD. Null and undefined stand for no text.
std::optional<std::string> optional_words_of(const Napi::Value& value, const char* what);

Napi::Array strings_of(Napi::Env env, const std::vector<std::string>& texts);

double number_of(const Napi::Value& value, const char* what);
Napi::Function function_of(const Napi::Value& value, const char* what);

// The string in `value` in a block of lh_alloc, lone surrogates and NUL characters as U+FFFD; null when it is no
// string.
LhText lh_text_of(napi_env env, napi_value value);
// `text` in a block of lh_alloc, NUL characters as U+FFFD.
LhText lh_copy(std::string text);

// Throws the Error of a refused call: `native` holds the parsed {"code", "message", ...}.
[[noreturn]] void throw_status(Napi::Env env, lh_status status, const LhText& error_json);
// Throws unless `status` is LH_OK.
void check(Napi::Env env, lh_status status, const LhText& error_json = nullptr);

}  // namespace lh::node
