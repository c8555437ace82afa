#include "agent/permissions/url_reading.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "agent/permissions/pattern.h"
#include "base/text/percent.h"

namespace lh {
namespace {

constexpr std::pair<std::string_view, std::string_view> kDefaultPorts[] = {
    {"http", "80"}, {"https", "443"}, {"ws", "80"}, {"wss", "443"}, {"ftp", "21"}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool is_any(char c, std::string_view of) { return of.find(c) != std::string_view::npos; }

// 127.0.0.1, 0x7f.1 and 2130706433 are one address.
std::optional<std::string> ipv4(std::string_view host) {
  std::vector<uint64_t> parts;
  for (size_t from = 0; from <= host.size();) {
    const size_t dot = std::min(host.find('.', from), host.size());
    std::string_view part = host.substr(from, dot - from);
    from = dot + 1;
    uint64_t base = 10;
    if (part.starts_with("0x")) {
      base = 16;
      part.remove_prefix(2);
    } else if (part.size() > 1 && part.front() == '0') {
      base = 8;
    }
    while (part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    if ((part.empty() && base != 16) || part.size() > 16 || parts.size() == 4) return std::nullopt;
    uint64_t value = 0;
    for (const char c : part) {
      const int digit = hex_digit(c);
      if (digit < 0 || static_cast<uint64_t>(digit) >= base) return std::nullopt;
      value = value * base + static_cast<uint64_t>(digit);
    }
    parts.push_back(value);
  }
  uint64_t address = parts.back();
  if (address >> (8 * (5 - parts.size())) != 0) return std::nullopt;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i] > 255) return std::nullopt;
    address += parts[i] << (8 * (3 - i));
  }
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += (out.empty() ? "" : ".") + std::to_string(address >> shift & 255);
  return out;
}

// Returns the host in plain form, with its escapes undone, as some programs do: a decoded character may end it.
std::string plain_host(std::string_view given) {
  std::string host = lower(unescaped(given));
  host.erase(std::min(host.find_first_of("/\\?#"), host.size()));
  host.erase(0, host.rfind('@') + 1);
  if (host.ends_with('.')) host.pop_back();
  return ipv4(host).value_or(host);
}

// The authority without its user, and without the port if that is the scheme's default.
std::string plain_authority(std::string_view scheme, std::string_view authority) {
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  const size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
  std::string host = plain_host(authority.substr(0, has_port ? colon : authority.size()));
  if (scheme == "file" && host == "localhost") return "";
  if (!has_port) return host;
  std::string_view port = authority.substr(colon + 1);
  while (port.size() > 1 && port.front() == '0') port.remove_prefix(1);
  const bool own = std::ranges::find(kDefaultPorts, std::pair(scheme, port)) != std::ranges::end(kDefaultPorts);
  return port.empty() || own ? host : host + ":" + std::string(port);
}

bool is_dots(std::string_view segment, std::string_view dots) {
  std::string plain;
  for (size_t i = 0; i < segment.size(); ++i) {
    const bool escaped = escape_at(segment, i) == '.';
    plain += escaped ? '.' : segment[i];
    if (escaped) i += 2;
  }
  return plain == dots;
}

std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  for (size_t from = 1; from <= path.size();) {
    const size_t slash = std::min(path.find('/', from), path.size());
    const std::string_view segment = path.substr(from, slash - from);
    const bool last = slash == path.size();
    const bool up = is_dots(segment, "..");
    if (up && !kept.empty()) kept.pop_back();
    if (up || is_dots(segment, ".")) {
      if (last) kept.emplace_back();
    } else {
      kept.push_back(segment);
    }
    from = slash + 1;
  }
  std::string out;
  for (const std::string_view segment : kept) out += "/" + std::string(segment);
  return out.empty() ? "/" : out;
}

// The path as a server may read it that undoes escapes before it looks for dot segments, or lets these have arguments
// ("..;x").
std::string unescaped_path(std::string_view path) {
  std::string all = all_unescaped(std::string(path));
  std::ranges::replace(all, '\\', '/');
  std::string out;
  for (size_t from = 0; from <= all.size();) {
    const size_t slash = std::min(all.find('/', from), all.size());
    const std::string_view segment = std::string_view(all).substr(from, slash - from);
    const std::string_view name = segment.substr(0, segment.find(';'));
    out += name == "." || name == ".." ? name : segment;
    if (slash < all.size() && !out.ends_with('/')) out += '/';
    from = slash + 1;
  }
  return out;
}

struct Split {
  std::string scheme;
  std::string rest;  // with the slashes that follow the scheme
};

bool is_special(std::string_view scheme) {
  return std::ranges::find(kDefaultPorts, scheme, [](const auto& one) { return one.first; }) !=
         std::ranges::end(kDefaultPorts);
}

// Nothing: no scheme with a slash behind it. Programs also accept a missing slash after a scheme with a default port.
std::optional<Split> split_url(std::string_view text) {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string clean;
  std::ranges::copy_if(text, std::back_inserter(clean), [](char c) { return !is_any(c, "\t\r\n"); });
  const size_t colon = clean.find(':');
  if (colon == std::string::npos || colon + 1 == clean.size()) return std::nullopt;
  Split out{lower(clean.substr(0, colon)), clean.substr(colon + 1)};
  if (!is_any(clean[colon + 1], "/\\") && !is_special(out.scheme)) return std::nullopt;
  const bool fits = !out.scheme.empty() && out.scheme.front() >= 'a' && out.scheme.front() <= 'z' &&
                    out.scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.") == std::string::npos;
  return fits ? std::optional(std::move(out)) : std::nullopt;
}

// `ends`: what the authority ends at. Nothing: no host where there must be one.
void read(const Split& url, std::string_view rest, std::string_view ends, std::vector<std::string>& out) {
  const bool is_file = url.scheme == "file";
  if (is_special(url.scheme)) {
    rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
  } else if (rest.starts_with("//")) {
    rest.remove_prefix(2);
  } else if (!is_file) {
    return;
  }
  const size_t end = std::min(rest.find_first_of(ends), rest.size());
  const std::string origin = url.scheme + "://" + plain_authority(url.scheme, rest.substr(0, end));
  const size_t path_end = std::min(rest.find_first_of("?#", end), rest.size());
  const std::string_view path = rest.substr(end, path_end - end);
  const std::string tail(rest.substr(path_end));
  for (std::string reading : {origin + without_dots(path) + tail, origin + without_dots(unescaped_path(path)) + tail}) {
    if (std::ranges::find(out, reading) == out.end()) out.push_back(std::move(reading));
  }
}

// Up to the path, and from there on; the first is empty where the text has no path.
std::pair<std::string_view, std::string_view> at_path(std::string_view url) {
  const size_t colon = url.find("://");
  const size_t slash = colon == std::string_view::npos ? colon : url.find('/', colon + 3);
  return slash == std::string_view::npos ? std::pair(std::string_view(), url)
                                         : std::pair(url.substr(0, slash), url.substr(slash));
}

bool is_plain_host(std::string_view host) {
  const auto all = [](std::string_view text, std::string_view of) {
    return !text.empty() && text.find_first_not_of(of) == std::string_view::npos;
  };
  const size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  if (has_port && !all(host.substr(colon + 1), "0123456789")) return false;
  if (has_port) host = host.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) return all(host.substr(1, host.size() - 2), "0123456789abcdef:.");
  return all(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_");
}

// Also where it was escaped too often to say.
bool hides_dots(std::string_view path) {
  const std::string all = unescaped_path(path);
  return all != without_dots(all) || all != unescaped(all);
}

std::string_view without_slash(std::string_view path) {
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

std::vector<std::string> url_readings(std::string_view text) {
  std::vector<std::string> out;
  const auto url = split_url(text);
  if (!url) return out;
  std::string slashed = url->rest;
  for (size_t i = 0; i < slashed.size() && !is_any(slashed[i], "?#"); ++i) {
    if (slashed[i] == '\\') slashed[i] = '/';
  }
  for (const std::string_view ends : {"/?#", "/"}) {
    read(*url, url->rest, ends, out);
    read(*url, slashed, ends, out);
  }
  return out;
}

bool has_foreign_host(std::string_view url) {
  const std::string_view origin = at_path(url).first;
  return std::ranges::any_of(origin, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool is_plain_url(std::string_view text) {
  const auto is_usual = [](char c) { return c > 0x20 && c < 0x7f && !is_any(c, "\"<>\\^`{|}"); };
  if (!std::ranges::all_of(text, is_usual)) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && !escape_at(text, i)) return false;
  }
  const auto readings = url_readings(text);
  if (readings.empty() || (readings.front() != text && readings.front() != std::string(text) + "/")) return false;
  const auto [origin, rest] = at_path(readings.front());
  const std::string_view path = rest.substr(0, rest.find_first_of("?#"));
  const std::string_view host = origin.substr(origin.find("://") + 3);
  return (is_plain_host(host) || origin == "file://") && !hides_dots(path);
}

std::string url_pattern(std::string_view pattern) {
  const size_t colon = pattern.find("://");
  if (colon == std::string_view::npos) return std::string(pattern);
  const size_t end = std::min(pattern.find('/', colon + 3), pattern.size());
  std::string origin = lower(pattern.substr(0, end));
  for (const auto& [scheme, port] : kDefaultPorts) {
    const std::string own = ":" + std::string(port);
    if (origin.starts_with(std::string(scheme) + "://") && origin.ends_with(own))
      origin.resize(origin.size() - own.size());
  }
  const bool has_path = end < pattern.size() || origin.find("**", colon) != std::string::npos;
  return origin + (has_path ? std::string(pattern.substr(end)) : "/");
}

bool matches_whole_url(std::string_view pattern, std::string_view url) {
  const auto [wanted, wanted_path] = at_path(pattern);
  const auto [origin, path] = at_path(url);
  if (wanted.empty()) return matches_path(pattern, url);
  return matches_pattern(wanted, origin) && matches_path(wanted_path, path);
}

bool matches_url(std::string_view pattern, std::string_view url, bool leniently) {
  const size_t query = pattern.find('?');
  const size_t end = std::min(url.find_first_of("?#"), url.size());
  const std::string_view place = pattern.substr(0, query);
  const std::string_view path = url.substr(0, end);
  std::string_view rest = url.substr(end);
  const bool fits =
      matches_whole_url(place, path) || (leniently && matches_whole_url(without_slash(place), without_slash(path)));
  if (!fits) return false;
  if (query == std::string_view::npos) return leniently || rest.empty() || place.ends_with("**");
  if (leniently) rest = rest.substr(0, rest.find('#'));
  return rest.starts_with('?') && matches_pattern(pattern.substr(query + 1), rest.substr(1));
}

}  // namespace lh
