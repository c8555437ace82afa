#include "isolation/client/rpc_servers.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/json/json.h"

namespace lh {
namespace {

constexpr size_t kMostServers = 16;   // of ggml
constexpr size_t kLongestHost = 253;  // of DNS

bool is_host(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';  // as services of Docker Compose have it
  };
  return !text.empty() && text.size() <= kLongestHost && text.front() != '-' && std::ranges::all_of(text, allowed);
}

bool is_port(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && text.front() != '0' && port >= 1 && port <= 65535;
}

// A name or an IPv4 address: the backend knows no other.
bool is_address(std::string_view text) {
  const size_t colon = text.find(':');
  return colon != std::string_view::npos && is_host(text.substr(0, colon)) && colon + 1 < text.size() &&
         is_port(text.substr(colon + 1));
}

// DNS knows no case.
bool is_same(std::string_view one, std::string_view other) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(one, other, {}, lower, lower);
}

}  // namespace

Status check_rpc_servers(const std::vector<std::string>& servers, const std::string& option) {
  if (servers.size() > kMostServers) {
    return {Code::kInvalidArgument, option + " may name " + std::to_string(kMostServers) + " servers at most, got " +
                                        std::to_string(servers.size())};
  }
  for (auto one = servers.begin(); one != servers.end(); ++one) {
    const std::string name = option + '[' + std::to_string(one - servers.begin()) + ']';
    if (!is_address(*one)) {
      return {Code::kInvalidArgument,
              name + " must be \"host:port\", with a name or an IPv4 address, got " + dump_json(Json(*one))};
    }
    if (std::find_if(servers.begin(), one, [one](const auto& other) { return is_same(other, *one); }) != one) {
      return {Code::kInvalidArgument, name + " names " + *one + " twice"};
    }
  }
  return {};
}

}  // namespace lh
