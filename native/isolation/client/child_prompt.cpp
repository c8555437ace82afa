#include "isolation/client/child_prompt.h"

#include <utility>

#include "isolation/wire/model_wire.h"

namespace lh {

ChildPrompt::ChildPrompt(const ChildModel& maker, ChildModel::Place place, const Link::Answer& answer)
    : maker_(&maker),
      place_(std::move(place)),
      work_for_(maker.path()),
      number_(answer.json.at("prompt")),
      length_(answer.json.at("length")),
      one_call_(answer.json.at("one_call")),
      stops_(answer.json.at("stops").get<std::vector<std::string>>()),
      format_(*this) {
  format_.plain_ = answer.json.at("plain");
  format_.marks_ = value_of<OutputFormat::Marks>(answer.bytes);
}

ChildPrompt::~ChildPrompt() { place_.link->tell({{"op", "free_prompt"}, {"prompt", number_}}); }

Result<Link::Answer> ChildPrompt::ask(Json json, std::string_view bytes) const {
  json["prompt"] = number_;
  return place_.link->call({.json = std::move(json), .bytes = bytes, .work_for = work_for_});
}

// Fetched on demand, because few callers need it. Empty if the process has died.
const std::string& ChildPrompt::text() const {
  const MutexLock lock(mutex_);
  if (has_text_) return text_;
  auto answer = ask({{"op", "prompt_text"}});
  if (answer.ok()) text_ = std::move(answer->bytes);
  has_text_ = true;
  return text_;
}

Result<ParsedOutput> ChildPrompt::Format::parse(std::string_view text, bool partial) const {
  if (plain_) return OutputFormat::parse_calls(text);
  const auto answer = prompt_.ask({{"op", "parse"}, {"partial", partial}}, text);
  if (!answer.ok()) return answer.status();
  return output_from_wire(answer->json.at("output"));
}

Result<ParsedOutput> ChildPrompt::Format::parse_calls(std::string_view text) const {
  const auto answer = prompt_.ask({{"op", "parse_calls"}}, text);
  if (!answer.ok()) return answer.status();
  return output_from_wire(answer->json.at("output"));
}

}  // namespace lh
