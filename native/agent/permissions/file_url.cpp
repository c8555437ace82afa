#include "agent/permissions/file_url.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text/percent.h"

namespace lh {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// C: or C| at the front.
bool has_drive(std::string_view path) {
  return path.size() >= 2 && is_letter(path[0]) && (path[1] == ':' || path[1] == '|');
}

// Returns the text after the scheme, cleaned as URL parsers clean it; nothing: the text is not a file URL.
std::optional<std::string> after_scheme(std::string_view text) {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  const auto counts = [](char c) { return c != '\t' && c != '\r' && c != '\n'; };
  constexpr std::string_view kScheme = "file:";
  size_t known = 0;  // letters of the scheme
  for (; known < kScheme.size() && !text.empty(); text.remove_prefix(1)) {
    const char c = text.front();
    if (!counts(c)) continue;
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != kScheme[known++]) return std::nullopt;
  }
  if (known < kScheme.size()) return std::nullopt;
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string clean;
  std::ranges::copy_if(text, std::back_inserter(clean), counts);
  return clean;
}

void add_path(FileUrl& url, const std::string& path) {
  const auto add = [&url](std::string one) {
    if (!one.empty() && std::ranges::find(url.paths, one) == url.paths.end()) url.paths.push_back(std::move(one));
  };
  for (std::string one : {path, unescaped(path), all_unescaped(path)}) {
    add(one);
    std::string_view name = one;
    name.remove_prefix(std::min(name.find_first_not_of('/'), name.size()));
    if (has_drive(name)) {
      std::string drive(name);
      drive[1] = ':';
      add(std::move(drive));
    }
    // Some programs read file:x as /x, and several slashes as one.
    add("/" + std::string(name));
  }
}

// `rest`: without the query, or with the query as a part of the path.
void read_rest(FileUrl& url, std::string_view rest) {
  if (!rest.starts_with("//")) return add_path(url, std::string(rest));
  std::string_view path = rest.substr(2);
  const size_t slash = std::min(path.find('/'), path.size());
  std::string host = unescaped(path.substr(0, slash));
  host.erase(0, host.rfind('@') + 1);
  for (char& c : host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (has_drive(host)) return add_path(url, "/" + std::string(path));
  path.remove_prefix(slash);
  host.erase(std::min(host.find(':'), host.size()));
  if (host.ends_with('.')) host.pop_back();
  if (!host.empty() && host != "localhost") {
    url.local = false;
    add_path(url, "//" + host + std::string(path));
  }
  add_path(url, path.empty() ? "/" : std::string(path));
}

}  // namespace

FileUrl read_file_url(std::string_view text) {
  FileUrl url;
  const auto rest = after_scheme(text);
  if (!rest) return url;
  std::string slashed = *rest;
  std::ranges::replace(slashed, '\\', '/');
  for (const std::string& one : {*rest, slashed}) {
    read_rest(url, one);
    read_rest(url, std::string_view(one).substr(0, one.find_first_of("?#")));
  }
  return url;
}

}  // namespace lh
