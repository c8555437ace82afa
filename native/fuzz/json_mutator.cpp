// Mutates JSON as a tree: of bytes changed at random, nearly all would fail in the parser.
#include <vector>

#include "base/json/json.h"
#include "fuzz/fuzz.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace lh::fuzz {
namespace {

using Random = std::minstd_rand;

size_t below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

std::vector<Json*> nodes_of(Json& root) {
  std::vector<Json*> nodes{&root};
  for (size_t i = 0; i < nodes.size() && nodes.size() < 20000; ++i) {
    if (!nodes[i]->is_structured()) continue;
    for (Json& inner : *nodes[i]) nodes.push_back(&inner);
  }
  return nodes;
}

Json nested(Random& random) {
  Json value = 1;
  const size_t depth = below(random, 600);
  const bool lists = below(random, 2) == 0;
  for (size_t i = 0; i < depth; ++i) value = lists ? Json::array({std::move(value)}) : Json{{"a", std::move(value)}};
  return value;
}

Json some_value(Random& random) {
  switch (below(random, 16)) {
    case 0: return nullptr;
    case 1: return below(random, 2) == 0;
    case 2: return 0;
    case 3: return -1;
    case 4: return static_cast<int64_t>(1) << below(random, 63);
    case 5: return -(static_cast<int64_t>(1) << below(random, 63));
    case 6: return UINT64_MAX;
    case 7: return 1e308;
    case 8: return 0.5;
    case 9: return -0.0;
    case 10: return "";
    case 11: return std::string(below(random, 300), "a\xC3\"\n{}[]*"[below(random, 10)]);
    case 12: return Json::array();
    case 13: return Json::object();
    case 14: return nested(random);
    default: return static_cast<int64_t>(below(random, 100));
  }
}

// A change by libFuzzer, which knows the dictionary and the constants that the code compares with.
std::string changed_text(const std::string& text, Random& random) {
  std::string buffer = text;
  buffer.resize(text.size() + 1 + below(random, 64));
  buffer.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(buffer.data()), text.size(), buffer.size()));
  return buffer;
}

void change_number(Json& node, Random& random) {
  const double number = node.get<double>();
  switch (below(random, 5)) {
    case 0: node = number + 1; break;
    case 1: node = number - 1; break;
    case 2: node = number * 2; break;
    case 3: node = -number; break;
    default: node = number / 3;
  }
  // Whole numbers mostly stay whole, because readers often require that.
  const double now = node.get<double>();
  if (below(random, 8) != 0 && now >= -9e15 && now <= 9e15) node = static_cast<int64_t>(now);
}

void change_array(Json& node, Random& random) {
  auto& items = node.get_ref<Json::array_t&>();
  const size_t at = below(random, items.size());
  switch (below(random, 4)) {
    case 0: items.erase(items.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: {
      const Json again = items[at];
      items.insert(items.end(), 1 + below(random, 20), again);
      break;
    }
    case 2: std::swap(items[at], items[below(random, items.size())]); break;
    default: items.push_back(some_value(random));
  }
}

void change_object(Json& node, Random& random) {
  auto& members = node.get_ref<Json::object_t&>();
  const size_t at = below(random, members.size());
  const auto member = members.begin() + static_cast<std::ptrdiff_t>(at);
  const std::string name = member->first;
  const Json value = member->second;
  switch (below(random, 4)) {
    case 0: members.erase(name); break;
    case 1:
      members.erase(name);
      node[changed_text(name, random)] = value;
      break;
    case 2: node[changed_text(name, random)] = value; break;
    default: node[name] = some_value(random);
  }
}

void change(Json& root, Random& random) {
  const std::vector<Json*> nodes = nodes_of(root);
  Json& node = *nodes[below(random, nodes.size())];
  const size_t how = below(random, 10);
  if (how == 0) {
    node = some_value(random);
  } else if (how == 1) {
    const Json copy = *nodes[below(random, nodes.size())];
    node = copy;
  } else if (how == 2) {
    Json inner = std::move(node);
    node = below(random, 2) == 0 ? Json::array({std::move(inner)}) : Json{{"items", std::move(inner)}};
  } else if (node.is_string()) {
    node = changed_text(node.get_ref<const std::string&>(), random);
  } else if (node.is_number()) {
    change_number(node, random);
  } else if (node.is_array() && !node.empty()) {
    change_array(node, random);
  } else if (node.is_object() && !node.empty()) {
    change_object(node, random);
  } else {
    node = some_value(random);
  }
}

}  // namespace

size_t mutate_json(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  Random random(seed + 1);
  Json root = Json::parse(data, data + size, nullptr, false);
  if (root.is_discarded() || below(random, 16) == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (size_t times = 1 + below(random, 3); times > 0; --times) change(root, random);
  const std::string text = root.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  text.copy(reinterpret_cast<char*>(data), text.size());
  return text.size();
}

}  // namespace lh::fuzz
