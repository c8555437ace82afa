#include "llama/jinja/numbers.h"

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "base/json/python_json.h"

namespace lh {
namespace {

constexpr uint32_t kDeepestMarked = 1024;  // beyond, `tojson` is refused: values.h

// Bytes that no text has. `tojson` writes them as they are, or the sign that replaces a wrong byte.
const std::string kNumberMark = "\xFF\xFF";
constexpr std::array<std::string_view, 2> kWrittenMarks = {"\xFF\xFF", "\\ufffd\\ufffd"};

struct PythonNumber final : jinja::value_float_t {
  using jinja::value_float_t::value_float_t;
  jinja::string as_string() const override { return python_number(val_flt); }
};

bool is_plain_number(const jinja::value_t& value) {
  return typeid(value) == typeid(jinja::value_float_t) || typeid(value) == typeid(PythonNumber);
}

class Marking {
 public:
  explicit Marking(TemplateBudget& budget) : budget_(budget) {}

  // Null if the value has no such number.
  jinja::value marked(const jinja::value& value, uint32_t depth) {
    if ((++seen_ & 15U) == 0) budget_.spend(1);
    if (is_plain_number(*value)) {
      return jinja::mk_val<jinja::value_string>(kNumberMark + python_number(value->val_flt) + kNumberMark);
    }
    if (depth > kDeepestMarked) return nullptr;
    if (!value->val_arr.empty()) return marked_list(value, depth);
    return value->val_obj.empty() ? nullptr : marked_object(value, depth);
  }

 private:
  jinja::value marked_list(const jinja::value& list, uint32_t depth) {
    jinja::value_array copy;
    for (size_t i = 0; i < list->val_arr.size(); ++i) {
      jinja::value member = marked(list->val_arr[i], depth + 1);
      if (!member) continue;
      if (!copy) {
        copy = jinja::mk_val<jinja::value_array>();
        copy->val_arr = list->val_arr;
      }
      copy->val_arr[i] = std::move(member);
    }
    return copy;
  }

  jinja::value marked_object(const jinja::value& object, uint32_t depth) {
    jinja::value_object copy;
    for (size_t i = 0; i < object->val_obj.size(); ++i) {
      jinja::value member = marked(object->val_obj[i].second, depth + 1);
      if (!member) continue;
      if (!copy) {
        copy = jinja::mk_val<jinja::value_object>();
        copy->val_obj = object->val_obj;
      }
      copy->val_obj[i].second = std::move(member);
    }
    return copy;
  }

  TemplateBudget& budget_;
  uint32_t seen_ = 0;
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
  if (typeid(*value) != typeid(jinja::value_float_t)) return value;
  return jinja::mk_val<PythonNumber>(value->val_flt);
}

jinja::value with_marked_numbers(jinja::value value, TemplateBudget& budget) {
  jinja::value marked = Marking(budget).marked(value, 1);
  return marked ? marked : value;
}

jinja::value without_marks(jinja::value made, bool has_quotes) {
  if (typeid(*made) != typeid(jinja::value_string_t)) return made;
  const std::string text = made->val_str.str();
  for (const std::string_view mark : kWrittenMarks) {
    if (text.find(mark) == text.npos) continue;
    std::string bare = without(text, mark, has_quotes);
    if (bare != text) return jinja::mk_val<jinja::value_string>(std::move(bare));
  }
  return made;
}

}  // namespace lh
