#include "isolation/client/child_embedder.h"

#include <string>

#include "isolation/wire/model_wire.h"

namespace lh {

Result<PoolingType> ChildEmbedder::pooling(std::optional<PoolingType> asked) const {
  const Json& known = facts().at("poolings").at(asked ? static_cast<size_t>(*asked) + 1 : 0);
  if (Status status = status_from_wire(known); !status.ok()) return status;
  return static_cast<PoolingType>(known.at("pooling").get<int>());
}

Status ChildEmbedder::check_ranks() const { return status_from_wire(facts().at("ranks")); }

Result<TokenText> ChildEmbedder::tokens(std::string_view all, size_t split, bool is_pair,
                                        const CancelFlag& cancel) const {
  const auto answer = model_->ask({{"op", "embedding_tokens"}, {"split", split}, {"pair", is_pair}}, all, &cancel);
  if (!answer.ok()) return answer.status();
  return list_of<int32_t>(answer->bytes);
}

Result<TokenText> ChildEmbedder::text(std::string_view text, const CancelFlag& cancel) const {
  return tokens(text, 0, false, cancel);
}

Result<TokenText> ChildEmbedder::pair(std::string_view query, std::string_view document,
                                      const CancelFlag& cancel) const {
  std::string both(query);
  both += document;
  return tokens(both, query.size(), true, cancel);
}

Result<std::vector<std::vector<float>>> ChildEmbedder::compute(PoolingType pooling, const std::vector<TokenText>& texts,
                                                               const CancelFlag& cancel) {
  TokenText all;
  Json sizes = Json::array();
  for (const TokenText& one : texts) {
    all.insert(all.end(), one.begin(), one.end());
    sizes.push_back(one.size());
  }
  const auto answer =
      model_->ask({{"op", "embed"}, {"pooling", static_cast<int>(pooling)}, {"sizes", std::move(sizes)}},
                  bytes_of_list(all), &cancel);
  if (!answer.ok()) return answer.status();
  std::vector<std::vector<float>> vectors;
  std::string_view rest = answer->bytes;
  for (const Json& size : answer->json.at("sizes")) {
    const std::string_view mine = rest.substr(0, size.get<size_t>() * sizeof(float));
    vectors.push_back(list_of<float>(mine));
    rest.remove_prefix(mine.size());
  }
  return vectors;
}

}  // namespace lh
