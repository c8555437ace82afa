#include "isolation/wire/channel.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace lh {
namespace {

constexpr size_t kReadAtOnce = 64UL << 10;
constexpr uint64_t kLargestPart = UINT32_MAX;  // of a part of a frame: anything larger is no frame

#ifdef MSG_NOSIGNAL
constexpr int kNoSignal = MSG_NOSIGNAL;
#else
constexpr int kNoSignal = 0;  // SO_NOSIGPIPE is set where the socket is made
#endif

// Sends all of it.
bool send_all(int socket, std::array<iovec, 3> parts) {
  size_t first = 0;
  while (first < parts.size()) {
    if (parts[first].iov_len == 0) {
      ++first;
      continue;
    }
    msghdr message{};
    message.msg_iov = &parts[first];
    message.msg_iovlen = parts.size() - first;
    ssize_t sent = sendmsg(socket, &message, kNoSignal);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    for (; sent > 0 && first < parts.size(); ++first) {
      const size_t step = std::min(static_cast<size_t>(sent), parts[first].iov_len);
      parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + step;
      parts[first].iov_len -= step;
      sent -= static_cast<ssize_t>(step);
      if (parts[first].iov_len > 0) break;
    }
  }
  return true;
}

iovec part_of(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

}  // namespace

Channel::~Channel() { close(socket_); }

void Channel::shut() { ::shutdown(socket_, SHUT_RDWR); }

bool Channel::send(FrameKind kind, uint64_t id, std::string_view json, std::string_view bytes) {
  if (json.size() > kLargestPart || bytes.size() > kLargestPart) return false;
  const Header header{static_cast<uint32_t>(kind), static_cast<uint32_t>(json.size()), bytes.size(), id};
  bool sent = false;
  {
    const MutexLock lock(sending_);
    sent = send_posted(true) && send_all(socket_, {part_of(bytes_of(header)), part_of(json), part_of(bytes)});
  }
  send_posted_meanwhile();
  return sent;
}

void Channel::post(FrameKind kind, uint64_t id, std::string_view json, std::string_view bytes) {
  const Header header{static_cast<uint32_t>(kind), static_cast<uint32_t>(json.size()), bytes.size(), id};
  {
    const MutexLock lock(posting_);
    posted_.append(bytes_of(header)).append(json).append(bytes);
  }
  send_posted_meanwhile();
}

// Whoever sends a frame sends what was posted meanwhile, too.
void Channel::send_posted_meanwhile() {
  for (;;) {
    {
      const MutexLock lock(posting_);
      if (posted_.empty()) return;
    }
    if (!sending_.try_lock()) return;
    const bool all = send_posted(false);
    sending_.unlock();
    if (!all) return;
  }
}

bool Channel::send_posted(bool may_wait) {
  {
    const MutexLock lock(posting_);
    begun_ += posted_;
    posted_.clear();
  }
  size_t done = 0;
  while (done < begun_.size()) {
    const ssize_t sent =
        ::send(socket_, begun_.data() + done, begun_.size() - done, kNoSignal | (may_wait ? 0 : MSG_DONTWAIT));
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) break;
    done += static_cast<size_t>(sent);
  }
  begun_.erase(0, done);
  return begun_.empty();
}

bool Channel::receive(Frame& frame) {
  Header header{};
  if (!fill(reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (header.bytes_size > kLargestPart) return false;
  frame.kind = static_cast<FrameKind>(header.kind);
  frame.id = header.id;
  frame.json.resize(header.json_size);
  frame.bytes.resize(header.bytes_size);
  return fill(frame.json.data(), frame.json.size()) && fill(frame.bytes.data(), frame.bytes.size());
}

bool Channel::fill(char* to, size_t size) {
  const size_t ready = std::min(size, buffer_.size() - taken_);
  std::memcpy(to, buffer_.data() + taken_, ready);
  taken_ += ready;
  to += ready;
  size -= ready;
  while (size > 0) {
    const bool direct = size >= kReadAtOnce;
    if (!direct) {
      buffer_.resize(kReadAtOnce);
      taken_ = 0;
    }
    const ssize_t got = recv(socket_, direct ? to : buffer_.data(), direct ? size : kReadAtOnce, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    size_t used = static_cast<size_t>(got);
    if (!direct) {
      buffer_.resize(used);
      used = taken_ = std::min(size, used);
      std::memcpy(to, buffer_.data(), used);
    }
    to += used;
    size -= used;
  }
  return true;
}

}  // namespace lh
