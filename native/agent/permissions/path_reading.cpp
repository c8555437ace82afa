#include "agent/permissions/path_reading.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "agent/permissions/file_url.h"
#include "agent/permissions/nfc.h"
#include "base/text/path.h"
#include "platform/path_texts.h"
#include "platform/real_path.h"

namespace lh {
namespace {

constexpr std::string_view kWildcards = "*?";

std::filesystem::path current_folder() {
  std::error_code failed;
  return std::filesystem::current_path(failed);
}

std::filesystem::path folded(const std::filesystem::path& path) {
  return to_path(fold_case(from_path(path), /*some=*/false));
}

// `path` without dots; relative to `here`, if that is given.
std::string spelled(const std::filesystem::path& whole, const std::filesystem::path& here) {
  std::filesystem::path path = folded(whole);
  if (!path.has_filename()) path = path.parent_path();
  if (!here.empty()) {
    const auto relative = path.lexically_relative(folded(here));
    if (!relative.empty()) path = relative;  // it is on another drive otherwise
  }
  const std::u8string text = path.generic_u8string();
  return {text.begin(), text.end()};
}

// Relative patterns are compared with paths from this folder on.
std::filesystem::path base_of(const std::string& pattern, const std::filesystem::path& here) {
  return to_path(pattern).has_root_directory() ? std::filesystem::path() : here;
}

std::filesystem::path whole_pattern(const std::string& pattern, const std::filesystem::path& here) {
  return path_texts(pattern, here).paths.front();
}

// True if the path cannot be compared with the pattern: it is on another machine than the paths of the pattern.
bool is_elsewhere(const std::filesystem::path& path, const std::filesystem::path& pattern) {
  return is_remote(path) && folded(path.root_name()) != folded(pattern.root_name());
}

void add(std::vector<std::string>& to, std::string one) {
  if (std::ranges::find(to, one) == to.end()) to.push_back(std::move(one));
}

// The text, and as much of it as programs take that read \ as /, or that are written in C and stop at a NUL.
std::vector<std::string> texts_in(const std::string& text) {
  std::vector<std::string> texts{text};
  if (text.find('\\') != std::string::npos) {
    std::string slashed = text;
    std::ranges::replace(slashed, '\\', '/');
    add(texts, std::move(slashed));
  }
  if (const size_t end = text.find('\0'); end != std::string::npos) {
    add(texts, text.substr(0, end));
    if (texts.size() > 2) add(texts, texts[1].substr(0, end));
  }
  return texts;
}

}  // namespace

PathReadings path_readings(const std::string& text, const std::string& pattern) {
  const auto here = current_folder();
  const auto base = base_of(pattern, here);
  const auto wanted = whole_pattern(pattern, here);
  PathReadings readings;
  const auto add_real = [&](const std::filesystem::path& path) {
    RealPath real = real_path(path);
    readings.readable = readings.readable && real.readable;
    add(readings.real, nfc(spelled(std::move(real.path), base)));
  };
  const auto add_path = [&](const std::filesystem::path& path) {
    const std::filesystem::path plain = path.lexically_normal();
    add(readings.written, nfc(spelled(plain, base)));
    // Looking it up would reveal this user's identity to a machine that the text names.
    if (is_elsewhere(path, wanted)) return void(readings.known = false);
    // The system resolves .. from the target of a link; programs that remove .. first do not.
    add_real(path);
    if (plain != path) add_real(plain);
  };
  FileUrl url = read_file_url(text);
  readings.known = url.local;
  url.paths.push_back(text);
  std::vector<std::string> texts;
  for (const std::string& path : url.paths) {
    for (const std::string& one : texts_in(path)) add(texts, one);
    // The file system distinguishes the spellings of a letter.
    for (const std::string& one : texts_in(nfc(path))) add(texts, one);
  }
  for (const std::string& one : texts) {
    const PathTexts paths = path_texts(one, here);
    readings.known = readings.known && paths.known;
    std::ranges::for_each(paths.paths, add_path);
  }
  return readings;
}

PathPattern path_pattern(const std::string& pattern) {
  const auto here = current_folder();
  const auto base = base_of(pattern, here);
  const std::string whole = spelled(whole_pattern(pattern, here).lexically_normal(), base);
  const size_t wildcard = whole.find_first_of(kWildcards);
  const size_t slash = wildcard == std::string::npos ? whole.size() : whole.rfind('/', wildcard);
  PathPattern made{nfc(whole), nfc(whole)};
  if (slash == std::string::npos) return made;
  const std::string folder = spelled(real_path(here / to_path(whole.substr(0, slash) + "/")).path, base);
  made.exact = folder.find_first_of(kWildcards) == std::string::npos;
  const std::string rest = whole.substr(std::min(slash + 1, whole.size()));
  if (rest.empty()) {
    made.real = folder;
  } else if (folder == ".") {
    made.real = rest;
  } else {
    made.real = folder.ends_with('/') ? folder + rest : folder + "/" + rest;
  }
  made.real = nfc(made.real);
  return made;
}

size_t folders_up(std::string_view path) {
  size_t count = 0;
  for (; path == ".." || path.starts_with("../"); ++count) path.remove_prefix(std::min<size_t>(3, path.size()));
  return count;
}

}  // namespace lh
