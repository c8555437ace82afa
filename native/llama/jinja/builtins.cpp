// Guards each built-in function of llama.cpp's interpreter whose work or result is not bounded by the size of its
// input, or which would fault the processor or leave a vector's bounds.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/operations.h"
#include "llama/jinja/values.h"

namespace lh {
namespace builtins {
namespace {

using Given = std::span<const jinja::value>;

// Either faults the processor.
constexpr const char* kDivision = "divisibleby: a division by zero, or of the least number by -1";

struct Builtin {
  Given given;
  const IsUnpacked& is_unpacked;
  TemplateBudget& budget;

  [[nodiscard]] const jinja::value& input() const { return given[0]; }

  // Like func_args::get_kwarg_or_pos(); null if it is missing.
  [[nodiscard]] const jinja::value_t* argument(std::string_view name, size_t place) const {
    for (const jinja::value& one : given) {
      const auto* named = dynamic_cast<const jinja::value_kwarg_t*>(one.get());
      if (named != nullptr && named->key == name) return named->val.get();
    }
    return at(place);
  }
  [[nodiscard]] const jinja::value_t* at(size_t place) const {
    return place < given.size() ? given[place].get() : nullptr;
  }
  [[nodiscard]] uint64_t bytes(const jinja::value_t* text) const { return text == nullptr ? 0 : text_bytes(*text); }

  void make(double bytes) const {
    budget.check_room(bytes);
    budget.spend_bytes(static_cast<uint64_t>(bytes));
  }
};

int64_t number(const jinja::value_t* value, int64_t otherwise) {
  return value != nullptr && value->is_numeric() ? value->val_int : otherwise;
}

uint64_t count_of(const std::string& text, const std::string& part) {
  uint64_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

void range(const Builtin& call) {
  const bool starts = call.given.size() > 1;
  const auto start = static_cast<double>(starts ? number(call.at(0), 0) : 0);
  const auto stop = static_cast<double>(number(call.at(starts ? 1 : 0), 0));
  const auto step = static_cast<double>(number(call.at(2), 1));
  constexpr double kLargest = 9007199254740992;  // with a larger one, the counter overflows, and the loop does not end
  if (std::abs(start) > kLargest || std::abs(stop) > kLargest || std::abs(step) > kLargest) {
    throw jinja::raised_exception("range() arguments are too large");
  }
  if (step == 0) return;
  const double count = std::max(0.0, std::ceil((stop - start) / step));
  call.make(count * static_cast<double>(kValueBytes + sizeof(jinja::value)));
}

void tojson(const Builtin& call) {
  const Weight all = weigh(call.input(), call.budget);
  double separators = 4;
  if (const jinja::value_t* given = call.argument("separators", 3); given != nullptr && !given->val_arr.empty()) {
    for (const jinja::value& one : given->val_arr) separators += static_cast<double>(text_bytes(*one));
  }
  const auto indent = static_cast<double>(std::max<int64_t>(0, number(call.argument("indent", 2), 0)));
  const double places = 2 * (indent * (all.depth + 1) + 1) + separators + 4;
  // A control character becomes six.
  call.make(static_cast<double>(all.bytes) * 2 +
            static_cast<double>(all.values) * (is_container(*call.input()) ? places : 8));
}

void as_text(const Builtin& call) {
  if (!is_container(*call.input())) return;
  const Weight all = weigh(call.input(), call.budget);
  call.make(static_cast<double>(all.bytes * 2 + all.values * 8));
}

void join(const Builtin& call) {
  if (call.input()->val_arr.empty()) return;
  const Weight all = weigh(call.input(), call.budget);
  const uint64_t between = call.bytes(call.argument("d", 1)) + 8;
  call.make(static_cast<double>(all.bytes) + static_cast<double>(all.values) * static_cast<double>(between));
}

// Moves the rest of the text for each part that it finds.
void replace(const Builtin& call) {
  as_text(call);
  if (call.input()->val_str.parts.empty() || call.at(1) == nullptr || call.at(2) == nullptr) return;
  const std::string text = call.input()->val_str.str();
  const std::string part = call.at(1)->val_str.str();
  const auto with = static_cast<double>(call.bytes(call.at(2)));
  spend_search(text.size(), part.size(), call.budget);
  const auto found = static_cast<double>(part.empty() ? text.size() + 1 : count_of(text, part));
  const double made = static_cast<double>(text.size()) + found * with;
  call.make(made);
  if (!part.empty() && with != static_cast<double>(part.size())) {
    call.budget.spend(static_cast<uint64_t>(found * std::max(made, 1.0) / 8192));
  }
}

void split(const Builtin& call) {
  if (call.input()->val_str.parts.empty()) return;
  const std::string text = call.input()->val_str.str();
  const std::string part = call.at(1) == nullptr ? " " : call.at(1)->val_str.str();
  if (part.empty()) return;
  spend_search(text.size(), part.size(), call.budget);
  const auto found = static_cast<double>(count_of(text, part));
  call.make(static_cast<double>(text.size()) + (found + 1) * static_cast<double>(kValueBytes + kPartBytes + 32));
  call.budget.spend(static_cast<uint64_t>(found * static_cast<double>(text.size()) / 8192));
}

void strip(const Builtin& call) {
  as_text(call);
  call.budget.spend_bytes(call.bytes(call.input().get()) * (call.bytes(call.argument("chars", 1)) / 8));
}

void indent(const Builtin& call) {
  const std::string text = call.input()->val_str.str();
  const jinja::value_t* given = call.argument("width", 1);
  double width = 4;
  if (given != nullptr) {
    width = given->val_str.parts.empty() ? static_cast<double>(std::max<int64_t>(0, number(given, 4)))
                                         : static_cast<double>(text_bytes(*given));
  }
  const auto lines = static_cast<double>(std::ranges::count(text, '\n') + 2);
  call.make(static_cast<double>(text.size()) + lines * width);
}

void format(const Builtin& call) {
  double bytes = 0;
  for (const jinja::value& one : call.given) {
    const Weight all = is_container(*one) ? weigh(one, call.budget) : Weight{1, text_bytes(*one), 1};
    bytes += static_cast<double>(all.bytes * 2 + all.values * 8 + kPartBytes * one->val_str.parts.size());
  }
  call.make(bytes);
}

// std::sort leaves the bounds of its vector if the order is not consistent. llama.cpp's compares numbers with texts as
// texts, and anything with other values as equal.
void check_order(std::span<const jinja::value> keys, TemplateBudget& budget) {
  enum class Kind { kNumber, kText, kOther };
  const auto kind_of = [](const jinja::value& key) {
    if (!key->val_str.parts.empty() || dynamic_cast<const jinja::value_string_t*>(key.get()) != nullptr) {
      return Kind::kText;
    }
    const bool number = dynamic_cast<const jinja::value_int_t*>(key.get()) != nullptr ||
                        dynamic_cast<const jinja::value_float_t*>(key.get()) != nullptr;
    return number ? Kind::kNumber : Kind::kOther;
  };
  uint64_t bytes = 0;
  for (const jinja::value& key : keys) {
    bytes += text_bytes(*key) + 64;
    const bool nan = kind_of(key) == Kind::kNumber && std::isnan(key->val_flt);
    if (nan || kind_of(key) != kind_of(keys.front())) {
      throw jinja::raised_exception("sort: the values cannot be compared with each other");
    }
  }
  budget.spend_bytes(bytes * static_cast<uint64_t>(2 + std::bit_width(keys.size())));
}

void sort(const Builtin& call) {
  const jinja::value_t* attribute = call.argument("attribute", 3);
  const bool by_name = attribute != nullptr && !attribute->val_str.parts.empty();
  const bool by_place = attribute != nullptr && attribute->is_numeric();
  std::vector<jinja::value> keys;
  jinja::value none = jinja::mk_val<jinja::value_undefined>();
  for (const jinja::value& item : call.input()->val_arr) {
    if (by_name && dynamic_cast<const jinja::value_object_t*>(item.get()) != nullptr) {
      keys.push_back(item->at(attribute->val_str.str(), none));
    } else if (by_place && dynamic_cast<const jinja::value_array_t*>(item.get()) != nullptr) {
      keys.push_back(item->at(attribute->val_int, none));
    } else {
      keys.push_back(item);
    }
  }
  if (keys.size() > 1) check_order(keys, call.budget);
}

void dictsort(const Builtin& call) {
  const jinja::value_t* by = call.argument("by", 2);
  const bool by_value = by != nullptr && by->val_str.str() == "value";
  std::vector<jinja::value> keys;
  for (const auto& [key, member] : call.input()->val_obj) keys.push_back(by_value ? member : key);
  call.make(static_cast<double>(keys.size() * 192));
  if (keys.size() > 1) check_order(keys, call.budget);
}

void select(const Builtin& call) {
  call.budget.spend(call.input()->val_arr.size());
  if (call.given.size() < 3) return;  // no test
  const Weight all = weigh(call.input(), call.budget);
  const Weight with = weigh(call.given.back(), call.budget);
  call.budget.spend(call.input()->val_arr.size() * (with.values / 16 + with.bytes / 1024));
  if (call.given.size() > 3 && call.given[2]->val_str.str() == "in") {
    call.budget.spend_bytes(all.bytes * with.values);
  }
  if (call.at(call.given.size() - 2)->val_str.str() != "divisibleby" || !call.given.back()->is_numeric()) return;
  if (call.given.back()->val_int == 0 || call.given.back()->val_int == -1) throw jinja::raised_exception(kDivision);
}

void append(const Builtin& call) {
  if (call.at(1) == nullptr) return;
  note_change(call.input());
  const jinja::value& member = call.given[1];
  check_member(member);
  call.budget.store(kValueBytes + std::min<uint64_t>(text_bytes(*member), 512) + (is_container(*member) ? 512 : 0));
  if (nests(member)) call.budget.keep(call.input());
}

void pop(const Builtin& call) {
  call.budget.spend(call.input()->val_arr.size() >> 10);
  note_change(call.input());
  if (call.is_unpacked(call.input())) {
    throw jinja::raised_exception("pop: a loop goes on to unpack this list");
  }
}

void divisibleby(const Builtin& call) {
  const jinja::value_t* by = call.at(1);
  if (by == nullptr || !by->is_numeric() || !call.input()->is_numeric()) return;
  const bool overflows = by->val_int == -1 && call.input()->val_int == INT64_MIN;
  if (by->val_int == 0 || overflows) throw jinja::raised_exception(kDivision);
}

void is_in(const Builtin& call) {
  if (call.at(1) != nullptr) check_binary("in", call.given[0], call.given[1], call.budget);
}

void list_of(const Builtin& call) {
  const uint64_t members = call.input()->val_arr.size() + call.input()->val_obj.size() * 20;
  call.make(static_cast<double>(members * sizeof(jinja::value)));
}

void slice(const Builtin& call) {
  if (call.at(3) != nullptr) check_step(call.given[3]);
  list_of(call);
}

using Check = void (*)(const Builtin&);

const std::map<std::string, Check, std::less<>>& checks() {
  static const std::map<std::string, Check, std::less<>> all = {
      {"range", range},
      {"tojson", tojson},
      {"safe", tojson},
      {"string", as_text},
      {"capitalize", as_text},
      {"lower", as_text},
      {"title", as_text},
      {"upper", as_text},
      {"wordcount", as_text},
      {"join", join},
      {"replace", replace},
      {"split", split},
      {"rsplit", split},
      {"strip", strip},
      {"trim", strip},
      {"lstrip", strip},
      {"rstrip", strip},
      {"indent", indent},
      {"format", format},
      {"sort", sort},
      {"dictsort", dictsort},
      {"min", list_of},
      {"max", list_of},
      {"select", select},
      {"selectattr", select},
      {"reject", select},
      {"rejectattr", select},
      {"map", list_of},
      {"list", list_of},
      {"reverse", list_of},
      {"keys", list_of},
      {"values", list_of},
      {"items", list_of},
      {"slice", slice},
      {"append", append},
      {"pop", pop},
      {"test_is_divisibleby", divisibleby},
      {"test_is_in", is_in},
  };
  return all;
}

}  // namespace
}  // namespace builtins

void check_builtin(const std::string& name, std::span<const jinja::value> given, const IsUnpacked& is_unpacked,
                   TemplateBudget& budget) {
  if (given.empty()) return;
  const auto& checks = builtins::checks();
  if (const auto found = checks.find(name); found != checks.end()) found->second({given, is_unpacked, budget});
}

}  // namespace lh
