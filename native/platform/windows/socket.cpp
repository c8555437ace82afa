// Sockets of the loopback interface, as Windows has no socketpair(). They never block by themselves, because Windows
// has no flag for a single call that does not wait; a caller that may wait repeats the request with an event that
// signals its end.
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

// Calls `ask` with a request, and waits for the end of the request. Returns the number of bytes, or -1.
template <typename Ask>
ptrdiff_t when_done(SOCKET socket, Ask ask) {
  const HANDLE made = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  if (made == nullptr) return -1;  // without it nothing would say when the request no longer needs its memory
  const OwnedHandle event(made);
  WSAOVERLAPPED request{};
  request.hEvent = event.get();
  if (ask(request) != 0 && WSAGetLastError() != WSA_IO_PENDING) return -1;
  DWORD bytes = 0;
  DWORD flags = 0;
  return WSAGetOverlappedResult(socket, &request, &bytes, TRUE, &flags) != 0 ? static_cast<ptrdiff_t>(bytes) : -1;
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
  // Any program of the machine may connect: only the connection from the address `mine` is ours.
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
  const auto count = static_cast<DWORD>(parts.size());
  DWORD sent = 0;
  if (WSASend(handle, places.data(), count, &sent, 0, nullptr, nullptr) == 0) {
    return sent > 0 ? static_cast<ptrdiff_t>(sent) : -1;
  }
  if (WSAGetLastError() != WSAEWOULDBLOCK) return -1;
  if (!may_wait) return 0;
  return when_done(handle, [&](WSAOVERLAPPED& request) {
    return WSASend(handle, places.data(), count, nullptr, 0, &request, nullptr);
  });
}

ptrdiff_t receive_some(Socket socket, char* to, size_t size) {
  constexpr size_t kAtOnce = 1UL << 30;
  const auto handle = static_cast<SOCKET>(socket);
  WSABUF place{static_cast<ULONG>(size < kAtOnce ? size : kAtOnce), to};
  const int got = recv(handle, to, static_cast<int>(place.len), 0);
  if (got >= 0 || WSAGetLastError() != WSAEWOULDBLOCK) return got;
  return when_done(handle, [&](WSAOVERLAPPED& request) {
    DWORD flags = 0;
    return WSARecv(handle, &place, 1, nullptr, &flags, &request, nullptr);
  });
}

void shut_socket(Socket socket) {
  shutdown(static_cast<SOCKET>(socket), SD_BOTH);
  CancelIoEx(reinterpret_cast<HANDLE>(socket), nullptr);  // what threads wait for
}

void close_socket(Socket socket) {
  if (socket != kNoSocket) closesocket(static_cast<SOCKET>(socket));
}

}  // namespace lh
