#include "platform/child.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cwctype>
#include <memory>
#include <utility>

#include "platform/windows/owned.h"

namespace lh {
namespace {

// All programs that this process starts end with it, even if it is ended by force.
HANDLE job_of_children() {
  static const HANDLE job = [] {
    const HANDLE made = CreateJobObjectW(nullptr, nullptr);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (made != nullptr) SetInformationJobObject(made, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return made;
  }();
  return job;
}

HANDLE handle_of(intptr_t number) { return reinterpret_cast<HANDLE>(number); }

// An argument as the runtime of C reads it back: in quotes, with backslashes doubled before a quote.
std::wstring quoted(const std::string& argument) {
  std::wstring text = L"\"";
  size_t backslashes = 0;
  for (const wchar_t c : to_wide(argument)) {
    if (c == L'"') text.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    text += c;
  }
  return text.append(backslashes, L'\\') + L"\"";
}

// Sorted by name without regard to case, as Windows wants it, and each ended by a zero.
std::wstring block_of(const std::vector<std::string>& environment) {
  std::vector<std::wstring> variables;
  for (const std::string& one : environment) variables.push_back(to_wide(one));
  const auto name_of = [](const std::wstring& variable) {
    std::wstring name = variable.substr(0, variable.find(L'=', 1));
    std::ranges::transform(name, name.begin(), [](wchar_t c) { return static_cast<wchar_t>(std::towupper(c)); });
    return name;
  };
  std::ranges::stable_sort(variables, {}, name_of);
  std::wstring block;
  for (const std::wstring& one : variables) block.append(one).push_back(L'\0');
  block.push_back(L'\0');
  return block;
}

// The handles that a program inherits, and no other.
class Inherited {
 public:
  explicit Inherited(std::array<HANDLE, 3> handles) : handles_(handles) {
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    room_ = std::make_unique<char[]>(size);
    ok_ = InitializeProcThreadAttributeList(get(), 1, 0, &size) != 0;
    for (const HANDLE one : handles_)
      ok_ = ok_ && SetHandleInformation(one, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) != 0;
    ok_ = ok_ && UpdateProcThreadAttribute(get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                           sizeof handles_, nullptr, nullptr) != 0;
  }
  Inherited(const Inherited&) = delete;
  Inherited& operator=(const Inherited&) = delete;
  ~Inherited() {
    DeleteProcThreadAttributeList(get());
    for (const HANDLE one : handles_) SetHandleInformation(one, HANDLE_FLAG_INHERIT, 0);
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] LPPROC_THREAD_ATTRIBUTE_LIST get() {
    return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(room_.get());
  }

 private:
  std::array<HANDLE, 3> handles_;
  std::unique_ptr<char[]> room_;
  bool ok_ = false;
};

}  // namespace

std::vector<std::string> environment_now() {
  std::vector<std::string> variables;
  wchar_t* const block = GetEnvironmentStringsW();
  if (block == nullptr) return variables;
  for (const wchar_t* one = block; *one != L'\0'; one += std::wstring_view(one).size() + 1) {
    variables.push_back(to_narrow(one));
  }
  FreeEnvironmentStringsW(block);
  return variables;
}

std::vector<std::string> with_library_folder(const std::vector<std::string>& environment, const std::string& folder) {
  std::vector<std::string> variables = environment;
  const auto is_path = [](const std::string& one) {
    constexpr std::string_view kName = "PATH=";
    return one.size() >= kName.size() &&
           std::ranges::equal(one.substr(0, kName.size()), kName, {}, [](unsigned char c) { return std::toupper(c); });
  };
  const auto path = std::ranges::find_if(variables, is_path);
  if (path == variables.end()) {
    variables.push_back("PATH=" + folder);
  } else {
    path->insert(path->find('=') + 1, folder + ";");
  }
  return variables;
}

std::error_code start_child(const std::string& program, const std::string& argument,
                            const std::vector<std::string>& environment, Socket socket, Child& child) {
  SECURITY_ATTRIBUTES inheritable{sizeof inheritable, nullptr, TRUE};
  const OwnedHandle nothing(
      CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inheritable, OPEN_EXISTING, 0, nullptr));
  OwnedHandle reads;
  OwnedHandle writes;
  if (!nothing.is_open() || CreatePipe(reads.place(), writes.place(), nullptr, 0) == 0) {
    return last_error();
  }
  Inherited inherited({nothing.get(), writes.get(), handle_of(socket)});
  if (!inherited.ok()) return last_error();
  STARTUPINFOEXW start{};
  start.StartupInfo.cb = sizeof start;
  start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  start.StartupInfo.hStdInput = nothing.get();
  start.StartupInfo.hStdOutput = writes.get();
  start.StartupInfo.hStdError = writes.get();
  start.lpAttributeList = inherited.get();
  const std::wstring file = wide_path(program);
  std::wstring line = quoted(program) + L' ' + quoted(argument) + L' ' + quoted(std::to_string(socket));
  std::wstring block = block_of(environment);
  constexpr DWORD kFlags = EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT | CREATE_NEW_PROCESS_GROUP |
                           CREATE_NO_WINDOW | CREATE_SUSPENDED;
  PROCESS_INFORMATION made{};
  if (CreateProcessW(file.c_str(), line.data(), nullptr, nullptr, TRUE, kFlags, block.data(), nullptr,
                     &start.StartupInfo, &made) == 0) {
    return last_error();
  }
  const OwnedHandle thread(made.hThread);
  // Fails where this process is in a job that allows no other: then that job ends the program.
  AssignProcessToJobObject(job_of_children(), made.hProcess);
  ResumeThread(thread.get());
  child = {static_cast<int>(made.dwProcessId), reinterpret_cast<intptr_t>(made.hProcess),
           reinterpret_cast<intptr_t>(reads.take())};
  return {};
}

std::optional<ChildEnd> end_of(const Child& child) {
  if (WaitForSingleObject(handle_of(child.process), 0) == WAIT_TIMEOUT) return std::nullopt;
  DWORD code = 0;
  GetExitCodeProcess(handle_of(child.process), &code);
  constexpr DWORD kExceptions = 0xC0000000;
  if (code < kExceptions) return ChildEnd{static_cast<int>(code), {}};
  char number[16];
  std::snprintf(number, sizeof number, "0x%08lX", static_cast<unsigned long>(code));
  return ChildEnd{0, std::string("exception ") + number};
}

void kill_child(const Child& child) { TerminateProcess(handle_of(child.process), 1); }

ptrdiff_t read_errors(const Child& child, char* to, size_t size, int wait_ms) {
  // An anonymous pipe cannot be waited for.
  constexpr int kLookMs = 5;
  for (int waited = 0;; waited += kLookMs) {
    DWORD there = 0;
    if (PeekNamedPipe(handle_of(child.errors), nullptr, 0, nullptr, &there, nullptr) == 0) return -1;
    if (there > 0) break;
    if (waited >= wait_ms) return 0;
    Sleep(kLookMs);
  }
  DWORD got = 0;
  if (ReadFile(handle_of(child.errors), to, static_cast<DWORD>(size), &got, nullptr) == 0) return -1;
  return static_cast<ptrdiff_t>(got);
}

void close_child(Child& child) {
  if (child.process != -1) CloseHandle(handle_of(child.process));
  if (child.errors != -1) CloseHandle(handle_of(child.errors));
  child.process = child.errors = -1;
}

std::vector<std::string> program_arguments(int, char**) {
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(to_narrow(words[i]));
  LocalFree(words);
  return arguments;
}

Socket inherited_socket(const std::string& argument) {
  WSADATA data{};
  WSAStartup(MAKEWORD(2, 2), &data);
  const OwnedSocket inherited(static_cast<SOCKET>(std::strtoll(argument.c_str(), nullptr, 10)));
  // Made anew: Winsock knows which sockets a process has made, and wine's sends nothing through others.
  WSAPROTOCOL_INFOW description{};
  SOCKET own = INVALID_SOCKET;
  if (WSADuplicateSocketW(inherited.get(), GetCurrentProcessId(), &description) == 0) {
    own = WSASocketW(FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, &description, 0,
                     WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  }
  if (own == INVALID_SOCKET) std::fprintf(stderr, "the socket cannot be used: error %d\n", WSAGetLastError());
  return static_cast<Socket>(own);
}

// Windows sends no signal for them.
void ignore_broken_connections() {}

void wait_for_end_of_stdin() {
  char byte = 0;
  DWORD got = 0;
  while (ReadFile(GetStdHandle(STD_INPUT_HANDLE), &byte, 1, &got, nullptr) != 0 && got > 0) {
  }
}

}  // namespace lh
