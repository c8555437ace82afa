#include "llama/jinja/known_caps.h"

namespace lh {

RecentValues<chat_template_caps>& known_caps() {
  // Never destroyed: threads may outlive static teardown.
  static auto* instance = new RecentValues<chat_template_caps>(16, 1UL << 20);
  return *instance;
}

}  // namespace lh
