// The abilities of the chat templates that were made last in this process. llama.cpp finds them out by running a
// template some ten times, which is a seventh of an engine's start.
#pragma once

#include "base/threads/recent_values.h"
#include "chat.h"

namespace lh {

// The text of each is the template's source. Must not: keep the abilities of a template that exceeded its budget, which
// must be refused the next time, too.
RecentValues<chat_template_caps>& known_caps();

}  // namespace lh
