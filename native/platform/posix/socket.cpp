#include "platform/socket.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "platform/posix/descriptors.h"

namespace lh {
namespace {

constexpr size_t kMostParts = 8;
#ifdef MSG_NOSIGNAL
constexpr int kNoSignal = MSG_NOSIGNAL;
#else
constexpr int kNoSignal = 0;  // SO_NOSIGPIPE is set instead
#endif

}  // namespace

std::error_code make_sockets(SocketPair& pair) {
  int both[2] = {-1, -1};
#ifdef SOCK_CLOEXEC
  constexpr int kKind = SOCK_STREAM | SOCK_CLOEXEC;
#else
  constexpr int kKind = SOCK_STREAM;
#endif
  if (socketpair(AF_UNIX, kKind, 0, both) != 0) return posix_error(errno);
  pair = {above_standard(both[0]), above_standard(both[1])};
  if (pair.ours < 0 || pair.theirs < 0) return posix_error(errno);
#ifdef SO_NOSIGPIPE
  const int on = 1;
  for (const Socket one : {pair.ours, pair.theirs}) {
    setsockopt(static_cast<int>(one), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
  }
#endif
  return {};
}

ptrdiff_t send_some(Socket socket, std::span<const std::string_view> parts, bool may_wait) {
  std::array<iovec, kMostParts> places{};
  for (size_t i = 0; i < parts.size(); ++i) places[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
  msghdr message{};
  message.msg_iov = places.data();
  message.msg_iovlen = static_cast<decltype(message.msg_iovlen)>(parts.size());
  for (;;) {
    const ssize_t sent = sendmsg(static_cast<int>(socket), &message, kNoSignal | (may_wait ? 0 : MSG_DONTWAIT));
    if (sent > 0) return sent;
    if (sent < 0 && errno == EINTR) continue;
    return sent < 0 && !may_wait && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -1;
  }
}

ptrdiff_t receive_some(Socket socket, char* to, size_t size) {
  for (;;) {
    const ssize_t got = recv(static_cast<int>(socket), to, size, 0);
    if (got >= 0 || errno != EINTR) return got;
  }
}

void shut_socket(Socket socket) { shutdown(static_cast<int>(socket), SHUT_RDWR); }

void close_socket(Socket socket) {
  if (socket >= 0) close(static_cast<int>(socket));
}

}  // namespace lh
