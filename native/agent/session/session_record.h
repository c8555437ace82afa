// A session as JSON, for saving and restoring: its messages and its state. No tools, no hooks.
// Must not: touch files.
#pragma once

#include "agent/session/dialogue.h"
#include "agent/session/inbox.h"
#include "agent/session/waiting_run.h"
#include "base/json/fields.h"
#include "model/generator.h"

namespace lh {

// Facts that differ between models and between chat templates.
struct ModelMark {
  Json description;
  Json parameters;
  Json vocabulary_size;
  uint64_t chat_template = 0;  // its hash

  template <typename Self, typename Fields>
  static void fields(Self& self, Fields& all) {
    all("description", self.description);
    all("parameters", self.parameters);
    all("vocabulary_size", self.vocabulary_size);
    all("chat_template", self.chat_template);
  }
  [[nodiscard]] bool operator==(const ModelMark&) const = default;
};
[[nodiscard]] ModelMark model_mark(const Generator& model);

// The saved form. A new field of it is a line in fields().
struct SessionRecord {
  std::string format = "llama-hooks session";
  int32_t version = 1;
  std::string id;  // of the session that was saved
  int32_t iterations = 0;
  Usage usage;
  Json own;                           // conversations, as Dialogue::to_json() gives them
  Json children = Json::object();     // by name
  Json remembered = Json::array();    // answers, as PermissionMemory::to_json() gives them
  std::vector<QueuedMessage> queued;  // queued, and not taken up by a run yet
  std::optional<ModelMark> model;     // of the model that ran last; none: none has run
  std::optional<WaitingRun> waiting;  // none: none waits

  template <typename Self, typename Fields>
  static void fields(Self& self, Fields& all) {
    all("format", self.format);
    all("version", self.version);
    all("id", self.id);
    all("iterations", self.iterations);
    all("usage", self.usage);
    all.object("conversation", self.own);
    all.object("children", self.children);
    all.objects("remembered", self.remembered);
    all("queued", self.queued);
    all("model", self.model);
    all("waiting", self.waiting, Absent::kIfEmpty);
  }
};

// Errors: kSessionFileInvalid, naming place and reason: no record, or one of another version. The conversations are
// checked where they are restored.
[[nodiscard]] Result<SessionRecord> read_record(std::string_view text);

}  // namespace lh
