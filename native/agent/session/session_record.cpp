#include "agent/session/session_record.h"

#include <utility>

#include "base/text/stable_hash.h"
#include "generation/conversation_json.h"

namespace lh {

ModelMark model_mark(const Generator& model) {
  const Json all = model.describe();
  const Json& used = all["chat_template"];  // null: of a remote model
  return {all.value("description", Json()), all.value("parameters", Json()), all.value("vocabulary_size", Json()),
          stable_hash(used.is_string() ? used.get_ref<const std::string&>() : std::string())};
}

Result<SessionRecord> read_record(std::string_view text) {
  const auto wrong = [](const std::string& why) { return Status(Code::kSessionFileInvalid, why); };
  const auto json = parse_json(text, "the session");
  if (!json.ok()) return wrong(json.status().message());
  const SessionRecord ours;
  if (!json->is_object() || json->value("format", Json()) != ours.format) return wrong("it is no saved session");
  const Json version = json->value("version", Json());
  if (version != ours.version) {
    return wrong("version: it is of version " + dump_json(version) + ", and this one reads version " +
                 std::to_string(ours.version));
  }
  auto record = read_fields<SessionRecord>(*json, "", Code::kSessionFileInvalid);
  if (!record.ok() || !record->waiting) return record;
  if (Status status = check_waiting_run(*record->waiting); !status.ok()) return status;
  return record;
}

}  // namespace lh
