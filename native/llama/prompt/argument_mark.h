// Formats in which a call has an id between its name and its arguments.
#pragma once

#include "chat.h"

namespace lh {

// If a template writes `name[CALL_ID]id[ARGS]{}`, llama.cpp takes the mark of the arguments for the end of the name as
// well: its parser and its grammar want it on both sides of the id, and twice in a call without an id, which no model
// writes. After this they want it once.
void mark_arguments_once(common_chat_params& chat);

}  // namespace lh
