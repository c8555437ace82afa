// Reads the keys of one JSON object with types and ranges; what is wrong first is the error, and a key that nobody read
// is wrong too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace lh {

class ObjectReader {
 public:
  // `what` names the object in errors: "options", "request".
  ObjectReader(const Json& object, std::string what);

  ObjectReader& text(const char* key, std::string& out);  // null: left as it is
  ObjectReader& flag(const char* key, bool& out);
  ObjectReader& whole(const char* key, int32_t& out, int64_t low, int64_t high);
  ObjectReader& choice(const char* key, std::string& out, const std::vector<std::string>& choices);
  // The raw value, or null when it is not there.
  const Json* value(const char* key);

  // The first error; with none, an error for the first key that was not read.
  [[nodiscard]] Status done();

 private:
  const Json* find(const char* key);
  void wrong(const char* key, const std::string& expected, const Json& got);

  const Json& object_;
  std::string what_;
  std::vector<std::string> known_;
  Status status_;
};

}  // namespace lh
