// A session as JSON, for saving and restoring: its messages and its state. No tools, no hooks.
// Must not: touch files.
#pragma once

#include "agent/session/dialogue.h"
#include "agent/session/inbox.h"
#include "model/generator.h"

namespace lh {

struct SessionRecord {
  std::string id;  // of the session that was saved
  int32_t iterations = 0;
  Usage usage;
  Json own;                           // conversations, as Dialogue::to_json() gives them
  Json children;                      // by name
  Json remembered = Json::array();    // answers, as PermissionMemory::to_json() gives them
  std::vector<QueuedMessage> queued;  // queued, and not taken up by a run yet
  Json model;                         // model_mark() of the model that ran last; null: none has run
  Json waiting;                       // the waiting run, as to_json() gives it; null: none waits
};

[[nodiscard]] Json to_json(const SessionRecord& record);

// A mark that differs between models and between chat templates.
[[nodiscard]] Json model_mark(const Generator& model);

// Errors: kSessionFileInvalid, naming place and reason: no record, or one of another version. The conversations are
// checked where they are restored.
[[nodiscard]] Result<SessionRecord> read_record(std::string_view text);

}  // namespace lh
