#include "inference/sampling_params.h"

namespace lh {

Result<SamplingParams> parse_sampling_params(const Json& params) {
  SamplingParams parsed;
  ObjectReader reader(params, "params", ObjectReader::Null::kUnset);
  read(reader, parsed);
  if (Status status = reader.done(); !status.ok()) return status;
  if (!parsed.grammar.empty() && parsed.json_schema) {
    return Status(Code::kInvalidArgument, "params.grammar and params.json_schema exclude each other");
  }
  return parsed;
}

}  // namespace lh
