// Sockets of the loopback interface, as Windows has no socketpair(). They never block by themselves, because Windows
// knows no call that waits for nothing; whoever may wait polls.
#include "platform/socket.h"

#include <array>

#include "platform/windows/owned.h"

namespace lh {
namespace {

constexpr size_t kMostParts = 8;
constexpr DWORD kFlags = WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT;

std::error_code socket_error() { return windows_error(static_cast<unsigned long>(WSAGetLastError())); }

std::error_code start_sockets() {
  static const int failed = [] {
    WSADATA data{};
    return WSAStartup(MAKEWORD(2, 2), &data);
  }();
  return failed == 0 ? std::error_code() : windows_error(static_cast<unsigned long>(failed));
}

SOCKET new_socket() { return WSASocketW(AF_INET, SOCK_STREAM, IPPROTO_TCP, nullptr, 0, kFlags); }

bool same(const sockaddr_in& a, const sockaddr_in& b) {
  return a.sin_port == b.sin_port && a.sin_addr.s_addr == b.sin_addr.s_addr;
}

bool unblock(SOCKET socket) {
  u_long on = 1;
  const BOOL at_once = TRUE;  // small frames must not wait for an acknowledgement
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, reinterpret_cast<const char*>(&at_once), sizeof at_once);
  return ioctlsocket(socket, static_cast<long>(FIONBIO), &on) == 0;
}

bool wait_for(SOCKET socket, short event) {
  WSAPOLLFD one{socket, event, 0};
  return WSAPoll(&one, 1, -1) > 0;
}

}  // namespace

std::error_code make_sockets(SocketPair& pair) {
  if (const auto error = start_sockets()) return error;
  const OwnedSocket listener(new_socket());
  OwnedSocket theirs(new_socket());
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  int size = sizeof address;
  if (!listener.is_open() || !theirs.is_open() || bind(listener.get(), place, size) != 0 ||
      listen(listener.get(), 8) != 0 || getsockname(listener.get(), place, &size) != 0 ||
      connect(theirs.get(), place, size) != 0) {
    return socket_error();
  }
  sockaddr_in mine{};
  size = sizeof mine;
  if (getsockname(theirs.get(), reinterpret_cast<sockaddr*>(&mine), &size) != 0) return socket_error();
  // Any program of the machine may connect: only the one from our own address is ours.
  for (;;) {
    sockaddr_in from{};
    size = sizeof from;
    OwnedSocket ours(accept(listener.get(), reinterpret_cast<sockaddr*>(&from), &size));
    if (!ours.is_open()) return socket_error();
    if (!same(from, mine)) continue;
    SetHandleInformation(reinterpret_cast<HANDLE>(ours.get()), HANDLE_FLAG_INHERIT, 0);
    if (!unblock(ours.get()) || !unblock(theirs.get())) return socket_error();
    pair = {static_cast<Socket>(ours.take()), static_cast<Socket>(theirs.take())};
    return {};
  }
}

ptrdiff_t send_some(Socket socket, std::span<const std::string_view> parts, bool may_wait) {
  std::array<WSABUF, kMostParts> places{};
  for (size_t i = 0; i < parts.size(); ++i) {
    places[i] = {static_cast<ULONG>(parts[i].size()), const_cast<char*>(parts[i].data())};
  }
  const auto handle = static_cast<SOCKET>(socket);
  for (;;) {
    DWORD sent = 0;
    const int failed = WSASend(handle, places.data(), static_cast<DWORD>(parts.size()), &sent, 0, nullptr, nullptr);
    if (failed == 0 && sent > 0) return static_cast<ptrdiff_t>(sent);
    if (failed == 0 || WSAGetLastError() != WSAEWOULDBLOCK) return -1;
    if (!may_wait) return 0;
    if (!wait_for(handle, POLLWRNORM)) return -1;
  }
}

ptrdiff_t receive_some(Socket socket, char* to, size_t size) {
  constexpr size_t kAtOnce = 1UL << 30;
  const auto handle = static_cast<SOCKET>(socket);
  for (;;) {
    const int got = recv(handle, to, static_cast<int>(size < kAtOnce ? size : kAtOnce), 0);
    if (got >= 0 || WSAGetLastError() != WSAEWOULDBLOCK) return got;
    if (!wait_for(handle, POLLRDNORM)) return -1;
  }
}

void shut_socket(Socket socket) { shutdown(static_cast<SOCKET>(socket), SD_BOTH); }

void close_socket(Socket socket) {
  if (socket != kNoSocket) closesocket(static_cast<SOCKET>(socket));
}

}  // namespace lh
