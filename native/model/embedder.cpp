#include "model/embedder.h"

namespace lh {

const char* pooling_name(PoolingType pooling) {
  switch (pooling) {
    case PoolingType::kMean: return "mean";
    case PoolingType::kCls: return "cls";
    case PoolingType::kLast: return "last";
    case PoolingType::kRank: return "rank";
    case PoolingType::kNone: break;
  }
  return "none";
}

}  // namespace lh
