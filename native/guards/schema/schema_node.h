// One schema of the normal form: a reference, a choice, values of one or more types, or values that are listed.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "guards/schema/schema_conjunction.h"
#include "guards/schema/schema_values.h"

namespace lh {

enum class SchemaForm { kTyped, kChoice, kReference };

// The relation of a schema to its parent.
enum class SchemaRole {
  kAlternative,
  kTarget,    // of a reference: a definition
  kProperty,  // may be left out
  kRequired,
  kOthers,   // any further property
  kItem,     // every item
  kElement,  // the next one of a fixed number of items
};

struct SchemaNode {
  struct Child {
    SchemaRole role;
    std::string name;  // of a property
    SchemaParts parts;
    std::shared_ptr<const Conjunction> base{};  // what holds beside the parts
    SchemaPath path{};
    size_t node = 0;
  };

  // The node is built from these.
  SchemaParts parts;
  std::shared_ptr<const Conjunction> base;  // shared by the alternatives of a choice; null: `parts` are all
  SchemaPath path;
  std::string at;  // where the schema is written
  size_t depth = 0;
  bool definition = false;
  size_t ways = 1;  // alternatives that choices before this one have made

  SchemaForm form = SchemaForm::kTyped;
  Json own = Json::object();   // keywords without schemas
  const Json* like = nullptr;  // the schema whose order of keywords it has
  TypeSet types = kAnyType;
  bool typed = false;
  bool declares = false;  // it has properties, maybe none
  std::vector<Child> children;
  size_t least_items = 0;
  const char* list = "prefixItems";
  const char* choice = "anyOf";
  bool impossible = false;
  Json made;
  std::string place;  // in the normal form
};

// Faults and ignored keywords, each with its place in the user's schema.
class SchemaFindings {
 public:
  std::optional<SchemaPlace> fault;
  std::vector<SchemaPlace> ignored;

  void fail(const std::string& at, std::string what) {
    if (!fault) fault = SchemaPlace{at, std::move(what)};
  }

  // Alternatives meet the keywords of their siblings again.
  void ignore(const std::string& at, const std::string& keyword) {
    if (known_.emplace(at, keyword).second) ignored.push_back({at, keyword});
  }

 private:
  std::set<std::pair<std::string, std::string>> known_;
};

}  // namespace lh
