// A JSON Schema of a caller, a tool or an MCP server: the guards, llama.cpp's converter, and sampling with its grammar.
#include "llama/grammar/schema.h"
#include "fuzz/fuzz.h"
#include "fuzz/sample.h"

namespace lh::fuzz {

void fuzz_schema(std::string_view input) {
  const Result<Json> schema = parse_json(input, "schema");
  if (!schema.ok()) return;
  const bool strict = !input.empty() && static_cast<uint8_t>(input.back()) % 2 == 0;
  SchemaCompiler compiler(vocabulary());
  const auto compiled = compiler.compile(*schema, "schema", strict);
  if (compiled.ok() && !(*compiled)->grammar.empty()) sample_some((*compiled)->grammar, input.size());
  require(compiler.compile(*schema, "schema", strict).ok() == compiled.ok(), "a known schema has the same outcome");
}

}  // namespace lh::fuzz
