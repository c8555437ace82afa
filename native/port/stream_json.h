// The pieces and the end of an answer as the caller's functions send them (lh_stream_piece, lh_stream_end).
#pragma once

#include <string_view>

#include "base/status.h"
#include "model/generator.h"
#include "port/piece_queue.h"

namespace lh {

// Errors: kInvalidArgument, with the key.
[[nodiscard]] Result<TypedPiece> read_piece(std::string_view json);

// `json` may be empty. A usage that cannot be is left out, and `doubt` says why. Errors: kInvalidArgument,
// with the key.
[[nodiscard]] Result<PieceEnd> read_stream_end(Code code, std::string_view json);

}  // namespace lh
