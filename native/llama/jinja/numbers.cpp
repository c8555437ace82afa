#include "llama/jinja/numbers.h"

#include <cmath>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "base/json/python_json.h"
#include "llama/jinja/values.h"

namespace lh {
namespace {

// Bytes that no text has.
const std::string kNumberMark = "\xFF\xFF";
constexpr std::string_view kEscapedMark = "\\ufffd\\ufffd";  // as `tojson` may write them

struct PythonNumber final : jinja::value_float_t {
  using jinja::value_float_t::value_float_t;
  jinja::string as_string() const override { return python_number(val_flt); }
};

template <typename T>
bool is_exactly(const jinja::value_t& value) {
  return typeid(value) == typeid(T);
}

bool is_plain_number(const jinja::value_t& value) {
  return is_exactly<jinja::value_float_t>(value) || is_exactly<PythonNumber>(value);
}

class Marking {
 public:
  explicit Marking(TemplateBudget& budget) : budget_(budget) {}

  // Null if the value has no such number.
  jinja::value marked(const jinja::value& value, uint32_t depth) {
    if ((++seen_ & 15U) == 0) budget_.spend(1);
    if (is_plain_number(*value)) {
      return copied(jinja::mk_val<jinja::value_string>(kNumberMark + python_number(value->val_flt) + kNumberMark));
    }
    if (depth > kDeepestValue) return nullptr;
    if (!value->val_arr.empty()) return marked_list(value, depth);
    return value->val_obj.empty() ? nullptr : marked_object(value, depth);
  }

 private:
  jinja::value marked_list(const jinja::value& list, uint32_t depth) {
    std::vector<jinja::value> members;
    for (size_t i = 0; i < list->val_arr.size(); ++i) {
      jinja::value member = marked(list->val_arr[i], depth + 1);
      if (!member) continue;
      if (members.empty()) members = list->val_arr;
      members[i] = std::move(member);
    }
    if (members.empty()) return nullptr;
    if (is_exactly<jinja::value_tuple_t>(*list)) return copied(jinja::mk_val<jinja::value_tuple>(members));
    return copied(jinja::mk_val<jinja::value_array>(members));
  }

  jinja::value marked_object(const jinja::value& object, uint32_t depth) {
    std::vector<std::pair<jinja::value, jinja::value>> members;
    for (size_t i = 0; i < object->val_obj.size(); ++i) {
      jinja::value member = marked(object->val_obj[i].second, depth + 1);
      if (!member) continue;
      if (members.empty()) members = object->val_obj;
      members[i].second = std::move(member);
    }
    return members.empty() ? nullptr : copied(jinja::mk_val<jinja::value_object>(members));
  }

  // The budget does not know the copy yet.
  jinja::value copied(jinja::value copy) {
    bytes_ += kValueBytes + sizeof(jinja::value) * copy->val_arr.size() + 128 * copy->val_obj.size();
    budget_.check_room(bytes_);
    return copy;
  }

  TemplateBudget& budget_;
  uint32_t seen_ = 0;
  double bytes_ = 0;  // of the copies
};

// Takes the marks off the numbers in `text`, and the quotes around them.
std::string without(const std::string& text, std::string_view mark, bool has_quotes) {
  std::string out;
  size_t done = 0;
  for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    const size_t begin = at + mark.size();
    const size_t end = text.find_first_not_of("+-.0123456789aefin", begin);
    const bool number = end != begin && end != text.npos && text.compare(end, mark.size(), mark) == 0;
    if (!number) {
      at = begin;
      continue;
    }
    const size_t after = end + mark.size();
    const bool quoted = has_quotes && at > done && after < text.size() && text[at - 1] == text[after];
    out.append(text, done, at - done - (quoted ? 1 : 0));
    out.append(text, begin, end - begin);
    done = at = after + (quoted ? 1 : 0);
  }
  return out.append(text, done);
}

}  // namespace

jinja::value with_python_text(jinja::value value) {
  if (!is_exactly<jinja::value_float_t>(*value)) return value;
  return jinja::mk_val<PythonNumber>(value->val_flt);
}

jinja::value with_marked_numbers(jinja::value value, TemplateBudget& budget) {
  jinja::value marked = Marking(budget).marked(value, 1);
  return marked ? marked : value;
}

jinja::value without_marks(jinja::value made, const std::string& filter) {
  if (!is_exactly<jinja::value_string_t>(*made)) return made;
  const std::string text = made->val_str.str();
  const std::string_view mark = text.find(kNumberMark) != text.npos ? std::string_view(kNumberMark)
                                : filter == "tojson"                ? kEscapedMark
                                                                    : std::string_view();
  if (mark.empty() || text.find(mark) == text.npos) return made;
  std::string bare = without(text, mark, filter != "join");
  return bare == text ? made : jinja::mk_val<jinja::value_string>(std::move(bare));
}

}  // namespace lh
