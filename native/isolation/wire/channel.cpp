#include "isolation/wire/channel.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

namespace lh {
namespace {

constexpr size_t kReadAtOnce = 64UL << 10;
constexpr uint64_t kLargestPart = UINT32_MAX;  // of a part of a frame: anything larger is not a frame

// Sends all of it.
bool send_all(Socket socket, std::array<std::string_view, 3> parts) {
  for (std::span<std::string_view> left(parts); !left.empty();) {
    if (left.front().empty()) {
      left = left.subspan(1);
      continue;
    }
    const ptrdiff_t sent = send_some(socket, left, true);
    if (sent <= 0) return false;
    auto done = static_cast<size_t>(sent);
    for (std::string_view& part : left) {
      const size_t step = std::min(done, part.size());
      part.remove_prefix(step);
      done -= step;
    }
  }
  return true;
}

}  // namespace

Channel::~Channel() { close_socket(socket_); }

void Channel::shut() { shut_socket(socket_); }

bool Channel::fits(std::string_view json, std::string_view bytes) {
  return json.size() <= kLargestPart && bytes.size() <= kLargestPart;
}

bool Channel::send(FrameKind kind, uint64_t id, std::string_view json, std::string_view bytes) {
  if (!fits(json, bytes)) return false;
  const Header header{static_cast<uint32_t>(kind), static_cast<uint32_t>(json.size()), bytes.size(), id};
  bool sent = false;
  {
    const MutexLock lock(sending_);
    sent = send_posted(true) && send_all(socket_, {bytes_of(header), json, bytes});
  }
  static_cast<void>(flush());
  return sent;
}

bool Channel::post(FrameKind kind, uint64_t id, std::string_view json, std::string_view bytes) {
  if (!fits(json, bytes)) return false;
  const Header header{static_cast<uint32_t>(kind), static_cast<uint32_t>(json.size()), bytes.size(), id};
  {
    std::string frame;
    frame.reserve(sizeof header + json.size() + bytes.size());
    frame.append(bytes_of(header)).append(json).append(bytes);
    const MutexLock lock(posting_);
    posted_.push_back(std::move(frame));
  }
  return flush();
}

// Sends all posted frames: the thread that sends one frame also sends those that were posted meanwhile.
bool Channel::flush() {
  for (;;) {
    if (!sending_.try_lock()) return false;
    const bool all = send_posted(false) || gone_;
    sending_.unlock();
    if (!all) return false;
    const MutexLock lock(posting_);
    if (posted_.empty()) return true;
  }
}

bool Channel::send_posted(bool may_wait) {
  {
    const MutexLock lock(posting_);
    std::ranges::move(posted_, std::back_inserter(begun_));
    posted_.clear();
  }
  while (!begun_.empty()) {
    const std::array<std::string_view, 1> rest{std::string_view(begun_.front()).substr(sent_)};
    const ptrdiff_t sent = send_some(socket_, rest, may_wait);
    gone_ = sent < 0;
    if (sent <= 0) return false;
    sent_ += static_cast<size_t>(sent);
    if (sent_ < begun_.front().size()) continue;
    begun_.pop_front();
    sent_ = 0;
  }
  return true;
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
    const ptrdiff_t got = receive_some(socket_, direct ? to : buffer_.data(), direct ? size : kReadAtOnce);
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
