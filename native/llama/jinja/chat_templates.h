// The struct that llama.cpp's chat.cpp keeps to itself: templates made here, with guarded programs, go in.
// cmake/LhTemplates.cmake fails the build if the struct, or a file that the guards know by heart, is another one.
#pragma once

#include <memory>

#include "chat.h"

struct common_chat_templates {
  bool add_bos;
  bool add_eos;
  bool has_explicit_template;
  std::unique_ptr<common_chat_template> template_default;
  std::unique_ptr<common_chat_template> template_tool_use;
};
