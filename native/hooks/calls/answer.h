// Reads what a hook answered: which fields of the context it changes, which fields only an answer has, or why it is
// no answer. Must not: change the context.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "hooks/points/hook.h"
#include "hooks/points/point_table.h"

namespace lh {

// What an answer asks for. All three are empty when it names nothing.
struct Change {
  std::vector<std::string> fields;  // named by the answer, in its order
  Json context = Json::object();    // mutable fields of the context, as they shall be
  Json answers = Json::object();    // fields that only an answer has
};

// What an answer is read against. Lives for that call only. Neither text is parsed: only the members that an answer
// names are looked at.
struct AnswerFrame {
  const Hook& hook;
  const PointInfo& point;
  std::string_view meta;     // the object, as the hook was shown it
  std::string_view members;  // what else it was shown, as json_member takes it
};

// Plain text for the point's text field, or a JSON object, as point and flags of the hook say. A field that equals what
// the hook was shown is no answer. The error is HOOK_BAD_ANSWER and names the field.
Result<Change> read_answer(const AnswerFrame& frame, std::string_view text);

}  // namespace lh
