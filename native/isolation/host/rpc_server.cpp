#include "isolation/host/rpc_server.h"

#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "base/caught.h"
#include "base/json/json.h"
#include "llama/base/rpc.h"
#include "llama/base/runtime.h"
#include "platform/child.h"
#include "platform/process_end.h"
#include "platform/thread.h"

namespace lh {
namespace {

// Ends the program when its stdin ends: the process that started it holds the other end, and may die without notice.
void end_with_stdin() {
  wait_for_end_of_stdin();
  end_process(0);
}

Json lent_as_json(const std::vector<Device>& lent) {
  Json list = Json::array();
  for (const Device& one : lent) {
    list.push_back({{"name", one.name}, {"description", one.description}, {"type", device_type_name(one.type)}});
  }
  return {{"lends", std::move(list)}};
}

Status serve(const std::string& text) {
  const auto options = parse_json(text, "options");
  if (!options.ok()) return options.status();
  const Json& json = *options;
  if (Status status = init_runtime({json.at("libraries"), json.at("gpu_module")}); !status.ok()) return status;
  const std::vector<Device> lent = lent_devices();
  std::printf("%s\n", dump_json(lent_as_json(lent)).c_str());
  return serve_rpc(json.at("rpc_module"), json.at("address"), lent, json.at("threads"));
}

}  // namespace

int run_rpc_server(const std::string& options) {
  Status failed;
  try {
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // its lines tell when it listens
    Thread(end_with_stdin).detach();
    failed = serve(options);
  } catch (const std::exception&) {
    failed = caught();
  }
  std::fprintf(stderr, "%s\n", failed.message().c_str());
  return 1;
}

}  // namespace lh
