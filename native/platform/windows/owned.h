// Handles of Windows that are closed unless somebody takes them.
#pragma once

#include <utility>

#include "platform/windows/system.h"

namespace lh {

// `Kind` has the type Handle, none() (the value of a handle that is not open), and close().
template <typename Kind>
class Owned {
 public:
  using Handle = typename Kind::Handle;
  explicit Owned(Handle handle = Kind::none()) : handle_(handle) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (is_open()) Kind::close(handle_);
  }
  [[nodiscard]] bool is_open() const { return handle_ != Kind::none(); }
  [[nodiscard]] Handle get() const { return handle_; }
  [[nodiscard]] Handle* place() { return &handle_; }  // for functions that open it
  [[nodiscard]] Handle take() { return std::exchange(handle_, Kind::none()); }

 private:
  Handle handle_;
};

struct KernelObject {
  using Handle = HANDLE;
  static Handle none() { return INVALID_HANDLE_VALUE; }
  static void close(Handle handle) { CloseHandle(handle); }
};
using OwnedHandle = Owned<KernelObject>;

struct NetworkSocket {
  using Handle = SOCKET;
  static Handle none() { return INVALID_SOCKET; }
  static void close(Handle handle) { closesocket(handle); }
};
using OwnedSocket = Owned<NetworkSocket>;

}  // namespace lh
