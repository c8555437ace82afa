// Frames over a socket between two processes of one build: the engine's, and the one that computes for it.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/mutex.h"
#include "platform/socket.h"

namespace lh {

enum class FrameKind : uint32_t {
  // The engine sends these.
  kRequest = 1,  // {"op", ...}, maybe with bytes: answered by kReply with the same id
  kCancel,       // of a request or a stream; bytes: the Code
  kStop,         // of a stream: its reader wants no more
  kRoom,         // of a stream; bytes: an int32_t, for how many more tokens there is room
  kPing,
  // The child sends these.
  kReply = 64,  // {"status", "message"?, ...}, maybe with bytes
  kFraction,    // of a request; bytes: a float, 0 to 1
  kProgress,    // of a stream; bytes: a PromptProgress
  kTokens,      // of a stream; bytes: packed tokens, see tokens_wire.h
  kEnd,         // of a stream: {"reason", "status", "message"?, "models": as of kPong}; bytes: a Usage
  kPong,        // {"models": [[number, held_up, conversations, step_ms]], "requests": [[op, ms, ms since its cancel]]}
  kLog,         // id: the level; bytes: the line
};

struct Frame {
  FrameKind kind = FrameKind::kRequest;
  uint64_t id = 0;
  std::string json;   // may be empty
  std::string bytes;  // may be empty
};

// A value that both processes lay out in the same way, as they are of one build.
template <typename T>
[[nodiscard]] std::string_view bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
template <typename T>
[[nodiscard]] T value_of(std::string_view bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value{};
  std::memcpy(&value, bytes.data(), bytes.size() < sizeof value ? bytes.size() : sizeof value);
  return value;
}

class Channel {
 public:
  // Owns the socket.
  explicit Channel(Socket socket) : socket_(socket) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // A frame may be sent.
  [[nodiscard]] static bool fits(std::string_view json, std::string_view bytes);
  // Any thread; frames are sent whole, one after the other. Waits while the other end does not read. False: it is gone,
  // or the frame does not fit.
  bool send(FrameKind kind, uint64_t id, std::string_view json = {}, std::string_view bytes = {});
  // The same without waiting: what cannot be sent now is sent by the next send(), post() or flush(). False: some frames
  // are left, or another thread is about to send them.
  bool post(FrameKind kind, uint64_t id, std::string_view json = {}, std::string_view bytes = {});
  // Sends posted frames, as many as possible without waiting. Returns what post() returns; true if the other end is
  // gone.
  [[nodiscard]] bool flush();
  // One thread. False: the other end is gone, or has sent bytes that are not a frame.
  [[nodiscard]] bool receive(Frame& frame);
  // Both directions end; a thread inside receive() returns. Any thread.
  void shut();

 private:
  struct Header {
    uint32_t kind;
    uint32_t json_size;
    uint64_t bytes_size;
    uint64_t id;
  };

  [[nodiscard]] bool fill(char* to, size_t size);
  // `may_wait` false: sends as much as possible without waiting. Returns false if some is left.
  [[nodiscard]] bool send_posted(bool may_wait) LH_REQUIRES(sending_);

  const Socket socket_;
  Mutex sending_;
  std::deque<std::string> begun_ LH_GUARDED_BY(sending_);  // posted frames; a part of the first may be sent
  size_t sent_ LH_GUARDED_BY(sending_) = 0;                // bytes of the first
  bool gone_ LH_GUARDED_BY(sending_) = false;              // the other end
  Mutex posting_;
  std::deque<std::string> posted_ LH_GUARDED_BY(posting_);
  std::string buffer_;  // of the receiver: bytes that were read and not taken yet
  size_t taken_ = 0;
};
static_assert(!std::is_copy_constructible_v<Channel>);

}  // namespace lh
