// Converts values between JavaScript and C: see convert.h.
#include "convert.h"

#include <cstring>

#include "js_call.h"

namespace lh::node {
namespace {

// C would truncate the text at the first NUL.
void replace_nul(std::string& text) {
  for (size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at)) text.replace(at, 1, "\uFFFD");
}

}  // namespace

std::string text_of(const Napi::Value& value, const char* what) {
  if (!value.IsString()) throw Napi::TypeError::New(value.Env(), std::string(what) + " must be a string");
  std::string text = value.As<Napi::String>().Utf8Value();
  if (text.find('\0') != std::string::npos) {
    throw Napi::TypeError::New(value.Env(), std::string(what) + " must not contain a NUL character");
  }
  return text;
}

std::optional<std::string> optional_text_of(const Napi::Value& value, const char* what) {
  if (value.IsNull() || value.IsUndefined()) return std::nullopt;
  return text_of(value, what);
}

std::optional<std::string> optional_words_of(const Napi::Value& value, const char* what) {
  if (value.IsNull() || value.IsUndefined()) return std::nullopt;
  if (!value.IsString()) throw Napi::TypeError::New(value.Env(), std::string(what) + " must be a string");
  std::string text = value.As<Napi::String>().Utf8Value();
  replace_nul(text);
  return text;
}

Napi::Array strings_of(Napi::Env env, const std::vector<std::string>& texts) {
  const Napi::Array array = Napi::Array::New(env, texts.size());
  uint32_t index = 0;
  for (const std::string& text : texts) array.Set(index++, text);
  return array;
}

double number_of(const Napi::Value& value, const char* what) {
  if (!value.IsNumber()) throw Napi::TypeError::New(value.Env(), std::string(what) + " must be a number");
  return value.As<Napi::Number>().DoubleValue();
}

Napi::Function function_of(const Napi::Value& value, const char* what) {
  if (!value.IsFunction()) throw Napi::TypeError::New(value.Env(), std::string(what) + " must be a function");
  return value.As<Napi::Function>();
}

LhText lh_text_of(napi_env env, napi_value value) {
  // Answers are usually short: one pass over the string instead of one to measure and one to copy.
  char small[1024];
  size_t length = 0;
  if (napi_get_value_string_utf8(env, value, small, sizeof small, &length) != napi_ok) return nullptr;
  const bool whole =
      length + 4 < sizeof small;  // truncation never splits a character, so it may stop up to 3 bytes early
  if (!whole && napi_get_value_string_utf8(env, value, nullptr, 0, &length) != napi_ok) return nullptr;
  LhText text(static_cast<char*>(lh_alloc(length + 1)));
  if (!text) throw std::bad_alloc();
  if (whole) {
    std::memcpy(text.get(), small, length + 1);
  } else if (napi_get_value_string_utf8(env, value, text.get(), length + 1, &length) != napi_ok) {
    return nullptr;
  }
  if (std::memchr(text.get(), '\0', length)) return lh_copy(std::string(text.get(), length));
  return text;
}

LhText lh_copy(std::string text) {
  replace_nul(text);
  LhText copy(lh_strdup(text.c_str()));
  if (!copy) throw std::bad_alloc();
  return copy;
}

void throw_status(Napi::Env env, lh_status status, const LhText& error_json) {
  Napi::Value native = error_json ? parse_json(env, error_json.get()) : Napi::Value();
  if (native.IsEmpty() || !native.IsObject()) {
    Napi::Object plain = Napi::Object::New(env);
    plain.Set("code", lh_status_name(status));
    plain.Set("message", std::string("refused: ") + lh_status_name(status));
    native = plain;
  }
  const Napi::Value message = native.As<Napi::Object>().Get("message");
  Napi::Error error = Napi::Error::New(env, message.IsString() ? message.As<Napi::String>().Utf8Value() : "refused");
  error.Set("native", native);
  throw error;
}

void check(Napi::Env env, lh_status status, const LhText& error_json) {
  if (status != LH_OK) throw_status(env, status, error_json);
}

}  // namespace lh::node
