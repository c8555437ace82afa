#include "llama/base/runtime.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/shortage.h"
#include "base/system/log.h"
#include "base/text/path.h"
#include "base/threads/mutex.h"
#include "llama/base/assertions.h"
#include "llama/base/handles.h"
#include "log.h"
#include "platform/host_memory.h"

namespace lh {
namespace {

thread_local LogCapture* current_capture = nullptr;

LogLevel level_of(ggml_log_level level) {
  switch (level) {
    case GGML_LOG_LEVEL_ERROR: return LogLevel::kError;
    case GGML_LOG_LEVEL_WARN: return LogLevel::kWarn;
    case GGML_LOG_LEVEL_INFO: return LogLevel::kInfo;
    default: return LogLevel::kDebug;
  }
}

// llama.cpp ends lines itself, and continues a line with GGML_LOG_LEVEL_CONT (progress dots), which are dropped.
void route_log(ggml_log_level level, const char* text, void*) {
  if (level == GGML_LOG_LEVEL_CONT) return;
  std::string_view line(text);
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.remove_suffix(1);
  if (line.empty()) return;
  if (level == GGML_LOG_LEVEL_ERROR && current_capture != nullptr) current_capture->add(line);
  log_line(level_of(level), line);
}

// Everything loaded into this process so far.
struct Runtime {
  Mutex mutex;
  bool started LH_GUARDED_BY(mutex) = false;
  bool in_use LH_GUARDED_BY(mutex) = false;  // a model was opened
  std::set<std::string> gpu_modules LH_GUARDED_BY(mutex);
  std::map<std::string, Status> useless_modules LH_GUARDED_BY(mutex);  // loaded, but without a device
};

Runtime& runtime() {
  static auto* instance = new Runtime;  // never destroyed: threads of other environments may outlive static teardown
  return *instance;
}

// Advice on what to install if a module needs a library that this machine lacks; empty for other failures.
std::string_view missing_library(std::string_view failure) {
  constexpr std::pair<std::string_view, std::string_view> kBrought[] = {
      {"libvulkan.so.1: cannot open", "; install the Vulkan loader: apt-get install libvulkan1 (Debian, Ubuntu)"},
      {"libcuda.so.1: cannot open", "; install NVIDIA's driver"},
      {"libcudart.so.", "; install NVIDIA's CUDA runtime of that version"},
      {"libcublas.so.", "; install NVIDIA's CUDA runtime of that version"},
  };
  for (const auto& [library, install] : kBrought)
    if (failure.find(library) != std::string_view::npos) return install;
  return {};
}

Status load_gpu_module(Runtime& state, const std::string& path) LH_REQUIRES(state.mutex) {
  if (path.empty() || state.gpu_modules.contains(path)) return {};
  if (const auto useless = state.useless_modules.find(path); useless != state.useless_modules.end())
    return useless->second;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(to_path(path), unknown)) {  // to open a pipe would wait
    return Status(Code::kBackendUnavailable, "no GPU module at " + path);
  }
  if (!state.gpu_modules.empty()) {
    return Status(Code::kBackendUnavailable, "this process already uses the GPU module " + *state.gpu_modules.begin() +
                                                 "; one process has one, so " + path + " needs another process");
  }
  // llama.cpp reads its list of devices without a lock, on any thread that opens or runs a model.
  if (state.in_use) {
    return Status(Code::kBackendUnavailable,
                  "the GPU module " + path +
                      " must be asked for by the first engine: a model was loaded in this process, and no module can "
                      "use its devices any more");
  }
  LogCapture capture;
  ggml_backend_reg_t backend = ggml_backend_load(path.c_str());
  if (backend == nullptr) {
    return Status(Code::kBackendUnavailable, "the GPU module " + path + " cannot be used: " + capture.text() +
                                                 std::string(missing_library(capture.text())));
  }
  // The driver is too old for the module, or no card is supported: a caller that asked for a GPU must not get the CPU.
  // The module stays loaded but unused: drivers do not like to be unloaded, and other threads may be reading ggml's
  // list of backends.
  if (ggml_backend_reg_dev_count(backend) == 0) {
    const Status status(Code::kBackendUnavailable, "the GPU module " + path + " finds no device it can use" +
                                                       (capture.text().empty() ? "" : ": " + capture.text()));
    state.useless_modules.emplace(path, status);
    return status;
  }
  state.gpu_modules.insert(path);
  return {};
}

// Releases are tagged "v0.5.0"; the libraries report "0.5.0", or "0.5.0-dev" if the build did not know the tag.
bool is_release(std::string_view version, std::string_view release) {
  if (release.starts_with('v')) release.remove_prefix(1);
  return version.starts_with(release) && (version.size() == release.size() || version.substr(release.size()) == "-dev");
}

DeviceType type_of(enum ggml_backend_dev_type type) {
  switch (type) {
    case GGML_BACKEND_DEVICE_TYPE_CPU: return DeviceType::kCpu;
    case GGML_BACKEND_DEVICE_TYPE_GPU: return DeviceType::kGpu;
    case GGML_BACKEND_DEVICE_TYPE_IGPU: return DeviceType::kIntegratedGpu;
    default: return DeviceType::kAccelerator;
  }
}

}  // namespace

LogCapture::LogCapture() : outer_(current_capture) { current_capture = this; }
LogCapture::~LogCapture() { current_capture = outer_; }
void LogCapture::add(std::string_view line) { lines_.emplace_back(line); }

std::string LogCapture::text() const {
  std::string joined;
  for (const std::string& line : lines_) {
    if (!joined.empty()) joined += "; ";
    joined += line;
  }
  return joined;
}

std::string LogCapture::own_words() const {
  std::string words;
  for (const std::string& line : lines_) words += (words.empty() ? "" : "; ") + lh::own_words(line);
  return words;
}

std::string own_words(std::string line) {
  const size_t begin = line.find('\'');
  if (begin != std::string::npos) line.erase(begin, line.rfind('\'') - begin);
  return line;
}

Status init_runtime(const RuntimeOptions& options) {
  Runtime& state = runtime();
  const MutexLock lock(state.mutex);
  if (!state.started) {
    if (!is_release(llama_version(), LH_LLAMA_RELEASE)) {
      return Status(Code::kVersionMismatch, std::string("llama.cpp's libraries are of release ") + llama_version() +
                                                ", and this addon was built for " + LH_LLAMA_RELEASE +
                                                "; run npm rebuild llama-hooks");
    }
    if (!std::filesystem::is_directory(to_path(options.libraries))) {
      return Status(Code::kBackendUnavailable, "no folder of llama.cpp libraries at \"" + options.libraries + "\"");
    }
    Shortage::watch();
    throw_failed_assertions();
    llama_log_set(route_log, nullptr);
    // libllama-common has a separate log, which goes to stderr and contains text of models. Relevant errors arrive as
    // exceptions.
    common_log_set_verbosity_thold(-1);
    LogCapture capture;
    ggml_backend_load_all_from_path(options.libraries.c_str());
    if (ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU) == nullptr) {
      return Status(Code::kBackendUnavailable,
                    "no CPU backend that runs on this machine in " + options.libraries + ": " + capture.text());
    }
    llama_backend_init();
    state.started = true;
  }
  return load_gpu_module(state, options.gpu_module);
}

void settle_devices() {
  Runtime& state = runtime();
  const MutexLock lock(state.mutex);
  state.in_use = true;
}

std::vector<Device> devices() {
  std::vector<ggml_backend_dev_t> found;
  {
    const MutexLock lock(runtime().mutex);  // a module may be loading
    for (size_t i = 0; i < ggml_backend_dev_count(); ++i) found.push_back(ggml_backend_dev_get(i));
  }
  // A device may be behind a network, and is asked without the lock.
  std::vector<Device> list;
  for (ggml_backend_dev_t dev : found) {
    size_t free = 0;
    size_t total = 0;
    ggml_backend_dev_memory(dev, &free, &total);
    Device device{ggml_backend_dev_name(dev), ggml_backend_dev_description(dev), type_of(ggml_backend_dev_type(dev)),
                  total, free};
    // The CPU backend reports all memory of the machine as free.
    if (const HostMemory main = host_memory(); device.type == DeviceType::kCpu && main.total > 0) {
      device.total_bytes = main.total;
      device.free_bytes = main.free;
    }
    list.push_back(std::move(device));
  }
  return list;
}

Json runtime_info() {
  Json list = Json::array();
  for (const Device& device : devices()) {
    list.push_back({{"name", device.name},
                    {"description", device.description},
                    {"type", device_type_name(device.type)},
                    {"total_bytes", device.total_bytes},
                    {"free_bytes", device.free_bytes}});
  }
  return {{"llama_cpp", llama_version()},
          {"system_info", llama_print_system_info()},
          {"devices", std::move(list)},
          {"process", nullptr}};
}

void ThreadPoolDeleter::operator()(ggml_threadpool* pool) const {
  ggml_backend_reg_t cpu = ggml_backend_dev_backend_reg(ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU));
  const auto free_pool =
      reinterpret_cast<void (*)(ggml_threadpool*)>(ggml_backend_reg_get_proc_address(cpu, "ggml_threadpool_free"));
  if (free_pool != nullptr) free_pool(pool);
}

ThreadPoolPtr make_thread_pool(int threads) {
  ggml_backend_reg_t cpu = ggml_backend_dev_backend_reg(ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU));
  const auto new_pool = reinterpret_cast<ggml_threadpool* (*)(ggml_threadpool_params*)>(
      ggml_backend_reg_get_proc_address(cpu, "ggml_threadpool_new"));
  if (new_pool == nullptr) return nullptr;
  ggml_threadpool_params params = ggml_threadpool_params_default(threads);
  return ThreadPoolPtr(new_pool(&params));
}

bool cpu_has_amx() {
  ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
  const auto layouts_of = reinterpret_cast<ggml_backend_dev_get_extra_bufts_t>(
      ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(cpu), "ggml_backend_dev_get_extra_bufts"));
  if (layouts_of == nullptr) return false;
  for (ggml_backend_buffer_type_t* one = layouts_of(cpu); one != nullptr && *one != nullptr; ++one) {
    if (std::string_view(ggml_backend_buft_name(*one)) == "AMX") return true;
  }
  return false;
}

}  // namespace lh
