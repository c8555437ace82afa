#include "agent/permissions/condition.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/permissions/nfc.h"
#include "agent/permissions/path_reading.h"
#include "agent/permissions/pattern.h"
#include "agent/permissions/url_reading.h"
#include "base/text/path.h"
#include "platform/path_texts.h"

namespace lh {
namespace {

// Exact where both are whole, however large.
bool less(const Json& a, const Json& b) {
  if (!a.is_number_integer() || !b.is_number_integer()) return a.get<double>() < b.get<double>();
  const auto is_negative = [](const Json& n) { return !n.is_number_unsigned() && n.get<int64_t>() < 0; };
  if (is_negative(a) != is_negative(b)) return is_negative(a);
  return is_negative(a) ? a.get<int64_t>() < b.get<int64_t>() : a.get<uint64_t>() < b.get<uint64_t>();
}

// JSON that is written in one way.
std::string json_text(const Json& value) { return nfc(dump_json(canonical_json(value))); }

// The pattern of a value that is not a text: a pattern that is JSON may be spelled in any way.
std::string json_pattern(const std::string& pattern) {
  const auto value = parse_json(pattern, "the pattern");
  return value.ok() && !value->is_string() ? json_text(*value) : pattern;
}

constexpr size_t kMostJson = size_t{16} << 20;

// True if the pattern can match a list or an object as JSON.
bool may_be_json(const std::string& pattern) {
  return !pattern.empty() && std::string_view("[{*? \t\r\n").find(pattern.front()) != std::string_view::npos;
}

// The number that a text spells as JSON does. Null: none.
Json number_in(const std::string& text) {
  auto value = parse_json(text, "the value");
  return value.ok() && value->is_number() ? *std::move(value) : Json();
}

}  // namespace

Result<Condition> Condition::read(const Json& json, const std::string& where) {
  const auto wrong = [&where](const std::string& what) { return Status(Code::kInvalidArgument, where + what); };
  constexpr std::pair<Kind, const char*> kKinds[] = {
      {Kind::kText, "text"}, {Kind::kPath, "path"}, {Kind::kUrl, "url"}, {Kind::kNumber, "number"}};
  Condition condition;
  const Json* pattern = &json;
  if (json.is_object() && json.size() == 1) {
    const auto* const kind = std::ranges::find_if(kKinds, [&](const auto& one) { return json.contains(one.second); });
    if (kind != std::ranges::end(kKinds)) {
      condition.kind_ = kind->first;
      pattern = &json.front();
    }
  }
  if (condition.kind_ == Kind::kNumber) {
    if (Status status = condition.read_number(*pattern, where + ".number"); !status.ok()) return status;
    return condition;
  }
  if (pattern->is_boolean() && condition.kind_ == Kind::kPlain) {
    condition.path_ = dump_json(*pattern);
  } else if (pattern->is_string()) {
    condition.path_ = pattern->get_ref<const std::string&>();
  } else {
    return wrong(" must be a pattern, true or false, or an object with one of text, path, url and number");
  }
  condition.pattern_ = nfc(condition.path_);
  condition.url_ = url_pattern(condition.pattern_);
  if (condition.kind_ == Kind::kUrl) {
    const std::string& url = condition.url_;
    const size_t slashes = url.find("://");
    const bool has_origin =
        slashes != std::string::npos && url.find('/') == slashes + 1 && url.find('@') >= url.find('/', slashes + 3);
    // One that matches nothing would deny nothing.
    if (!has_origin && !url.starts_with("**")) return wrong(".url must begin with scheme://host, or with **");
  }
  return condition;
}

Status Condition::read_number(const Json& json, const std::string& where) {
  if (json.is_number()) {
    min_ = max_ = json;
    return {};
  }
  const Status wrong(Code::kInvalidArgument, where + " must be a number, or {min, max} with one of them");
  if (!json.is_object() || json.empty()) return wrong;
  for (const auto& [key, value] : json.items()) {
    if ((key != "min" && key != "max") || !value.is_number()) return wrong;
    (key == "min" ? min_ : max_) = value;
  }
  return !min_.is_null() && !max_.is_null() && less(max_, min_) ? wrong : Status();
}

bool Condition::allows(const Json& value) const {
  if (value.is_array() && !value.empty() && pattern_ != "**") {
    if (std::ranges::all_of(value, [this](const Json& one) { return allows(one); })) return true;
  }
  if (kind_ == Kind::kNumber) return value.is_number() && is_within(value);
  if (value.is_string()) return allows_text(value.get_ref<const std::string&>());
  if (kind_ != Kind::kPlain) return false;
  if (pattern_ == "**") return true;
  // A pattern of a text does not match a list or an object.
  return value.is_structured() ? json_pattern(pattern_) == json_text(value)
                               : matches_pattern(json_pattern(pattern_), json_text(value));
}

bool Condition::allows_text(const std::string& given) const {
  const std::string text = nfc(given);
  const auto url_fits = [&](const std::string& url) {
    return kind_ == Kind::kUrl ? matches_url(url_, url, /*leniently=*/false) : matches_whole_url(url_, url);
  };
  switch (kind_) {
    case Kind::kText: return matches_pattern(pattern_, text);
    case Kind::kPath: return pattern_ == "**" || allows_path(given);
    case Kind::kUrl: return is_plain_url(given) && std::ranges::all_of(url_readings(given), url_fits);
    default: break;
  }
  return pattern_ == "**" ||
         (matches_path(pattern_, text) && std::ranges::all_of(url_readings(text), url_fits) && allows_path(given));
}

bool Condition::allows_path(const std::string& text) const {
  // * is a name in a folder, and neither that folder nor the one above it.
  const auto all_fit = [](const std::vector<std::string>& paths, const std::string& wanted) {
    return std::ranges::all_of(paths, [&](const std::string& path) {
      if (path == ".") return wanted == "." || wanted == "**";
      // A path on another drive is absolute even if the pattern is relative.
      if (to_path(path).has_root_name() != to_path(wanted).has_root_name()) return false;
      return matches_path(wanted, path) && folders_up(path) <= folders_up(wanted);
    });
  };
  const PathPattern wanted = path_pattern(path_);
  const PathReadings paths = path_readings(text, path_);
  return paths.readable && paths.known && wanted.exact && all_fit(paths.written, wanted.written) &&
         all_fit(paths.real, wanted.real);
}

bool Condition::forbids(const Json& value) const {
  if (kind_ == Kind::kPlain) {
    size_t left = kMostJson;
    return forbids_plain(value, left);
  }
  if (value.is_array()) return std::ranges::any_of(value, [this](const Json& one) { return forbids(one); });
  if (kind_ == Kind::kNumber) {
    const Json number = value.is_string() ? number_in(value.get_ref<const std::string&>()) : value;
    return !number.is_number() || is_within(number);
  }
  return !value.is_string() || forbids_text(value.get_ref<const std::string&>());
}

// `left`: the bytes of JSON that may still be compared. Values within values are compared again and again; more than
// that is taken for a match.
bool Condition::forbids_plain(const Json& value, size_t& left) const {
  if (value.is_string()) return forbids_text(value.get_ref<const std::string&>());
  if (!value.is_structured() || may_be_json(pattern_)) {
    const std::string json = dump_json(value);
    if (json.size() > left) return true;
    left -= json.size();
    if (matches_pattern(pattern_, nfc(json)) || matches_pattern(json_pattern(pattern_), json_text(value))) return true;
  }
  if (value.is_array()) {
    return std::ranges::any_of(value, [&](const Json& one) { return forbids_plain(one, left); });
  }
  if (!value.is_object()) return false;
  for (const auto& [key, member] : value.items()) {
    if (forbids_text(key) || forbids_plain(member, left)) return true;
  }
  return false;
}

bool Condition::forbids_text(const std::string& given) const {
  const std::string text = nfc(given);
  const auto url_fits = [&](const std::string& url) {
    return matches_whole_url(url_, url) || matches_url(url_, url, /*leniently=*/true);
  };
  const auto urls = kind_ == Kind::kPlain || kind_ == Kind::kUrl ? url_readings(text) : std::vector<std::string>();
  const bool names_url = kind_ == Kind::kUrl || url_.find("://") != std::string::npos;
  const bool is_url = std::ranges::any_of(urls, url_fits) || (names_url && std::ranges::any_of(urls, has_foreign_host));
  switch (kind_) {
    case Kind::kText: return matches_pattern(pattern_, text);
    case Kind::kUrl: return urls.empty() || is_url;
    default: break;
  }
  return is_url || (kind_ == Kind::kPlain && matches_path(pattern_, text)) || forbids_path(given);
}

bool Condition::forbids_path(const std::string& text) const {
  const PathPattern wanted = path_pattern(path_);
  const auto in_one_case = [](const std::string& path) { return fold_case(path, /*some=*/true); };
  const auto fits = [&, written = in_one_case(wanted.written), real = in_one_case(wanted.real)](const auto& path) {
    return matches_path(written, in_one_case(path)) || matches_path(real, in_one_case(path));
  };
  const PathReadings paths = path_readings(text, path_);
  return !paths.known || std::ranges::any_of(paths.written, fits) || std::ranges::any_of(paths.real, fits);
}

bool Condition::is_within(const Json& number) const {
  return (min_.is_null() || !less(number, min_)) && (max_.is_null() || !less(max_, number));
}

std::string Condition::words() const {
  switch (kind_) {
    case Kind::kPlain: return pattern_;
    case Kind::kText: return "the text " + pattern_;
    case Kind::kPath: return "the path " + pattern_;
    case Kind::kUrl: return "the URL " + pattern_;
    case Kind::kNumber: break;
  }
  if (min_ == max_) return "the number " + dump_json(min_);
  if (max_.is_null()) return "a number of at least " + dump_json(min_);
  if (min_.is_null()) return "a number of at most " + dump_json(max_);
  return "a number from " + dump_json(min_) + " to " + dump_json(max_);
}

}  // namespace lh
