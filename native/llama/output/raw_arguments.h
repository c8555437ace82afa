// Arguments that a format writes without quotes: llama.cpp reads each that may be a string as one, although the schema
// allows other types, too.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chat.h"
#include "json-schema.h"

namespace lh {

class RawArguments {
 public:
  explicit RawArguments(const std::vector<common_chat_tool>& tools);

  // Gives strings that read as JSON of another type that the tool's schema allows that type. `args`: the JSON of the
  // arguments, maybe its beginning: it is then cut before a string that may get another type once it is whole.
  void give_types(const std::string& tool, std::string& args) const;

 private:
  using Types = common_chat_schema::type_set;
  std::map<std::string, std::map<std::string, Types>> tools_;  // arguments with several types, one of them string
};

}  // namespace lh
