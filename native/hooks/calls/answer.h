// Reads the answer of a hook: the context fields that it changes, the fields that only an answer has, or why it is
// invalid.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "hooks/points/hook.h"
#include "hooks/points/point_table.h"

namespace lh {

// The content of an answer. All members are empty if it names no field.
struct Change {
  std::vector<std::string> fields;  // named by the answer, in its order
  Json context = Json::object();    // mutable fields of the context with their new values
  Json answers = Json::object();    // fields that only an answer has
  std::string flaw;                 // why the answer is invalid, although it refuses something and so counts
};

// The context that an answer refers to. Valid for that call only. The texts are not parsed; only members that an answer
// names are searched.
struct AnswerFrame {
  const Hook& hook;
  const PointInfo& point;
  std::string_view meta;     // the object that the hook was shown
  std::string_view members;  // the other members, for json_member; the hook was shown those that it reads
};

// Reads plain text for the point's text field, or a JSON object, as the point and the hook's flags require. A field
// that equals the shown value does not count as a change. The error is HOOK_BAD_ANSWER, with the field. A wrong answer
// that refuses something (PointInfo::vetoes) is not an error: its refusal and reason are kept.
Result<Change> read_answer(const AnswerFrame& frame, std::string_view text);

}  // namespace lh
