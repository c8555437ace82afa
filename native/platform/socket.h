// A stream of bytes between this process and one that it starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

namespace lh {

using Socket = intptr_t;
inline constexpr Socket kNoSocket = -1;

struct SocketPair {
  Socket ours = kNoSocket;
  Socket theirs = kNoSocket;
};

// Two connected sockets, which no program inherits that this process starts, except as start_child() says.
[[nodiscard]] std::error_code make_sockets(SocketPair& pair);

// Sends the parts, one after the other, as much as possible at once. Returns the number of bytes; 0: `may_wait` is
// false, and nothing can be sent now; negative: the other end is gone. At most 8 parts.
[[nodiscard]] ptrdiff_t send_some(Socket socket, std::span<const std::string_view> parts, bool may_wait);

// Waits for bytes and takes up to `size` of them. Returns their number; 0 or negative: the other end is gone.
[[nodiscard]] ptrdiff_t receive_some(Socket socket, char* to, size_t size);

// Both directions end; a thread inside receive_some() returns. Any thread.
void shut_socket(Socket socket);

void close_socket(Socket socket);

}  // namespace lh
