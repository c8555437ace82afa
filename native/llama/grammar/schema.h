// Compiles JSON Schemas separately, before a template or a sampler gets them, so that errors have the schema and the
// place.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/mutex.h"
#include "guards/schema/schema_inspection.h"
#include "llama/base/handles.h"
#include "llama/grammar/gbnf.h"

namespace lh {

struct CompiledSchema {
  std::string fault;  // the fault and its place; empty: none
  std::vector<SchemaPlace> ignored;
  std::string schema;   // the text for llama.cpp, which may differ from the caller's
  std::string grammar;  // GBNF
  bool allows_object = false;
};

// The converter's grammar allows any character in keys of additional properties, even one that JSON must escape, except
// at the position where they would become a known name. Returns the grammar without such characters.
std::string with_json_keys(std::string grammar);

// Any thread. A known schema costs a look-up.
class SchemaCompiler {
 public:
  explicit SchemaCompiler(const llama_vocab* vocab) : tokens_(vocab) {}

  [[nodiscard]] const GrammarTokens& tokens() const { return tokens_; }

  // `what` names the schema in the error, which is kInvalidSchema. `strict`: a keyword without effect is an error.
  Result<std::shared_ptr<const CompiledSchema>> compile(const Json& schema, const std::string& what, bool strict);

 private:
  [[nodiscard]] std::shared_ptr<const CompiledSchema> make(const Json& schema) const;

  static constexpr size_t kMost = 256;             // number of schemas kept
  static constexpr size_t kMostBytes = 8UL << 20;  // of their texts and grammars

  const GrammarTokens tokens_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<const CompiledSchema>, std::less<>> known_ LH_GUARDED_BY(mutex_);
  size_t bytes_ LH_GUARDED_BY(mutex_) = 0;
};

}  // namespace lh
