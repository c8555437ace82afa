#include "fuzz/gguf_complete.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <regex>

#include "base/threads/caught_here.h"
#include "fuzz/fuzz.h"
#include "fuzz/gguf_recipe.h"
#include "gguf/check.h"
#include "llama/base/architectures.h"
#include "llama/base/handles.h"
#include "llama/base/runtime.h"

namespace lh::fuzz {
namespace {

constexpr int kMostAttempts = 400;
constexpr std::chrono::seconds kMostTime{5};
constexpr uint64_t kMostElements = 1 << 18;  // of one tensor

Json& list_of(Json& recipe, const char* name) {
  if (!recipe[name].is_array()) recipe[name] = Json::array();
  return recipe[name];
}

// The entry with that name, added if it is missing.
Json& entry_of(Json& list, const std::string& name) {
  for (Json& entry : list) {
    if (entry.is_array() && entry.size() == 3 && entry[0] == name) return entry;
  }
  list.push_back(Json::array({name, "u32", 4}));
  return list.back();
}

// A value that many models have, by the key's name.
void add_key(Json& recipe, const std::string& key) {
  Json& entry = entry_of(list_of(recipe, "kv"), key);
  const auto has = [&](std::string_view part) { return key.find(part) != std::string::npos; };
  if (has("epsilon")) {
    entry = Json::array({key, "f32", 1e-5});
  } else if (has("scale") || has("factor") || has("freq_base") || has("clamp") || has("bias")) {
    entry = Json::array({key, "f32", 1.0});
  } else if (has("context_length")) {
    entry = Json::array({key, "u32", 64});
  } else if (has("feed_forward") || has("inner_size")) {
    entry = Json::array({key, "u32", 32});
  } else if (has("used_count") || has("group_count")) {
    entry = Json::array({key, "u32", 2});
  } else if (has("key_length") || has("value_length") || has("dimension_count") || has("rank")) {
    entry = Json::array({key, "u32", 8});
  }
}

// Whole numbers of "16, 32,     1,     1", without the ones at the end.
Json shape_in(const std::string& text) {
  Json shape = Json::array();
  uint64_t elements = 1;
  static const std::regex kNumber("\\d+");
  for (std::sregex_iterator at(text.begin(), text.end(), kNumber), end; at != end; ++at) {
    const uint64_t size = std::strtoull(at->str().c_str(), nullptr, 10);
    shape.push_back(size);
    elements = size > kMostElements ? kMostElements * 2 : elements * size;
    if (elements > kMostElements) return nullptr;
  }
  while (shape.size() > 1 && shape.back() == 1) shape.erase(shape.size() - 1);
  return shape;
}

// Adds what the words ask for. False: they ask for nothing that is known.
bool follow(Json& recipe, const std::string& words) {
  static const std::regex kKey("key '([^']+)' is (?:0 or )?missing|key not found in model: ([^\\s;]+)");
  static const std::regex kList("array key not found in model: ([^\\s;]+)");
  static const std::regex kType("key (\\S+) has wrong type \\w+ but expected type (\\w+)");
  static const std::regex kLength("key (\\S+) has wrong array length; expected (\\d+)");
  static const std::regex kTensor("missing tensor '([^']+)'|tensor '([^']+)' not found");
  static const std::regex kShape("tensor '([^']+)' has wrong shape; expected ([^g]+), got");
  static const std::regex kExperts("key '([^']+)\\.expert_used_count' is \\d+ (?:of \\d+ experts|or missing)");
  std::smatch found;
  if (std::regex_search(words, found, kExperts)) {
    Json& pairs = list_of(recipe, "kv");
    const std::string count = found[1].str() + ".expert_count";
    const std::string used = found[1].str() + ".expert_used_count";
    const bool known = entry_of(pairs, count)[2] == 4 && entry_of(pairs, used)[2] == 2;
    entry_of(pairs, count) = Json::array({count, "u32", 4});
    entry_of(pairs, used) = Json::array({used, "u32", 2});
    return !known;
  }
  if (std::regex_search(words, found, kList)) {
    entry_of(list_of(recipe, "kv"), found[1]) = Json::array({found[1].str(), "arr:i32", Json::array({4})});
  } else if (std::regex_search(words, found, kKey)) {
    add_key(recipe, found[1].matched ? found[1].str() : found[2].str());
  } else if (std::regex_search(words, found, kType)) {
    Json& entry = entry_of(list_of(recipe, "kv"), found[1]);
    entry[1] = found[2].str();
  } else if (std::regex_search(words, found, kLength)) {
    const Json items = Json::array({{{"repeat", 4}, {"times", std::atoi(found[2].str().c_str())}}});
    entry_of(list_of(recipe, "kv"), found[1]) = Json::array({found[1].str(), "arr:i32", items});
  } else if (std::regex_search(words, found, kTensor)) {
    Json& tensors = list_of(recipe, "tensors");
    const std::string name = found[1].matched ? found[1].str() : found[2].str();
    const Json tensor = Json::array({name, "f32", Json::array({1})});
    if (std::ranges::find(tensors, tensor) != tensors.end()) return false;
    tensors.push_back(tensor);
  } else if (std::regex_search(words, found, kShape)) {
    Json& tensor = entry_of(list_of(recipe, "tensors"), found[1]);
    Json shape = shape_in(found[2]);
    if (shape.is_null()) return false;
    tensor = Json::array({found[1].str(), "f32", std::move(shape)});
  } else {
    return false;
  }
  return true;
}

// The fault of the file; empty if there is none.
std::string words_about(const std::string& path) {
  const auto checked = check_gguf(path, architecture_known);
  // llama.cpp says which shape it expects of a tensor that has just been added.
  if (!checked.ok() && checked.status().message().find("does not fit") == std::string::npos) {
    return checked.status().message();
  }
  const LogCapture capture;
  const CaughtHere caught_here;  // llama.cpp tells of an exception as of any fault
  llama_model_params params = llama_model_default_params();
  params.load_mode = LLAMA_LOAD_MODE_NONE;
  params.no_alloc = true;
  const ModelPtr model(llama_model_load_from_file(path.c_str(), params));
  return model ? "" : capture.text();
}

}  // namespace

bool complete(Json& recipe) {
  static_cast<void>(bare_engine());  // llama.cpp's libraries
  const auto end = std::chrono::steady_clock::now() + kMostTime;
  // A file without a tensor is only a vocabulary.
  if (list_of(recipe, "tensors").empty())
    recipe["tensors"].push_back(Json::array({"token_embd.weight", "f32", Json::array({1})}));
  std::string words;
  for (int attempt = 0; attempt < kMostAttempts && std::chrono::steady_clock::now() < end; ++attempt) {
    words = words_about(file_with(write_gguf(recipe)));
    if (words.empty()) return true;
    if (!follow(recipe, words)) break;
  }
  if (std::getenv("LH_FUZZ_TELL") != nullptr) std::fprintf(stderr, "gguf: %s\n", words.c_str());
  return false;
}

}  // namespace lh::fuzz
