// The entry points of libFuzzer. `lh_fuzz --target=NAME [options of libFuzzer] [inputs]`; `lh_fuzz --targets` lists
// them.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fstream>
#include <iterator>

#include "fuzz/fuzz.h"
#include "fuzz/gguf_recipe.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace lh::fuzz {
namespace {

struct Target {
  const char* name;
  void (*run)(std::string_view input);
  bool json;  // inputs are JSON, and are changed as such
};

constexpr Target kTargets[] = {
    {"grammar", fuzz_grammar, false},          {"gguf", fuzz_gguf, true},
    {"gguf-header", fuzz_gguf_header, false},  {"hooks", fuzz_hooks, true},
    {"permissions", fuzz_permissions, true},   {"rendering", fuzz_rendering, false},
    {"request", fuzz_request, true},           {"schema", fuzz_schema, true},
    {"session-file", fuzz_session_file, true}, {"template", fuzz_template, false},
    {"tool-calls", fuzz_tool_calls, false},    {"utf8", fuzz_utf8, false},
};

const Target* chosen = nullptr;

bool write_described_file(const char* recipe, const char* file) {
  std::ifstream in(recipe, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const Result<Json> parsed = parse_json(text, recipe);
  if (parsed.ok()) std::ofstream(file, std::ios::binary) << write_gguf(*parsed);
  return parsed.ok();
}

}  // namespace

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace lh::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace lh::fuzz;
  for (int i = 1; i < *argc; ++i) {
    const char* const argument = (*argv)[i];
    if (std::strcmp(argument, "--targets") == 0) {
      for (const Target& target : kTargets) std::puts(target.name);
      std::exit(0);
    }
    if (std::strcmp(argument, "--write-gguf") == 0 && i + 2 < *argc) {
      std::exit(write_described_file((*argv)[i + 1], (*argv)[i + 2]) ? 0 : 1);
    }
    if (std::strncmp(argument, "--target=", 9) != 0) continue;
    for (const Target& target : kTargets) {
      if (std::strcmp(argument + 9, target.name) == 0) chosen = &target;
    }
  }
  if (chosen == nullptr) {
    std::fputs("lh_fuzz: --target=NAME is needed, one of those that --targets lists\n", stderr);
    std::exit(2);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  return lh::fuzz::chosen->json ? lh::fuzz::mutate_json(data, size, max_size, seed)
                                : LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lh::fuzz::chosen->run(size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
