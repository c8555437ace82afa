// The pieces and the end of an answer as the caller's functions send them (lh_stream_piece, lh_stream_end).
#pragma once

#include <optional>
#include <string_view>

#include "base/status.h"
#include "model/generator.h"

namespace lh {

// Errors: kInvalidArgument, with the key.
[[nodiscard]] Result<TypedPiece> read_piece(std::string_view json);

struct StreamEndJson {
  EndOfStream end;
  std::optional<Usage> usage;
};
// `json` may be empty. Errors: kInvalidArgument, with the key.
[[nodiscard]] Result<StreamEndJson> read_stream_end(Code code, std::string_view json);

}  // namespace lh
