# native/llama/jinja bounds llama.cpp's interpreter of templates from outside: it has a copy of a struct of chat.cpp, does
# what common_chat_templates_init() does, and knows what each node and built-in function of the interpreter can do. Other
# sources may do something else, so the build stops at them. For a new release of llama.cpp: read what has changed in
# these files, follow it in native/llama/jinja, run the tests of test/templates (with EVERY_TEMPLATE=yes) and of
# test/bad-input, and put in the new sums.

function(lh_check_sum what content sum)
  string(SHA256 is "${content}")
  if(NOT is STREQUAL sum)
    message(FATAL_ERROR "llama.cpp's ${what} has changed (now ${is}): see cmake/LhTemplates.cmake")
  endif()
endfunction()

# The text of a file from `begin` to the first `end` behind it.
function(lh_part_of out content begin end)
  string(FIND "${content}" "${begin}" from)
  if(from EQUAL -1)
    message(FATAL_ERROR "llama.cpp's chat.cpp has no \"${begin}\": see cmake/LhTemplates.cmake")
  endif()
  string(SUBSTRING "${content}" ${from} -1 rest)
  string(FIND "${rest}" "${end}" length)
  string(SUBSTRING "${rest}" 0 ${length} part)
  set(${out} "${part}" PARENT_SCOPE)
endfunction()

set(LH_JINJA_SUMS
  lexer.h 93aecd72cc952fab08f657aa2a70e9f58421672b19d3179f8bdf555e683a1cc7
  lexer.cpp 3d6774bc2dac477e10ddbee69eff403df36f5925c8512ccf8a249bde5c26dbd7
  parser.cpp 9ccb4ee430fedf90855d8419d4e4cef3f83b8dda0826dc2fac24d0bcd8b7a56f
  runtime.h 6aabcfb491341cb2ab3540c83123eb98d55be3fc41c297be566d25b5aa6e7b1d
  runtime.cpp 7130c02f56f7a752e8ef96553ba7d397857ae3d885649299e7403feaaf31cca1
  value.h 19dc9611c0d342d7728bceb5843224d41840df9a7a758fbe1de3589958ace7ea
  value.cpp cf2f6f137c3eadb0a61a88a7ca7fd0be161f6df38a5b661b3e89e1006dca48bd
  string.h d32ad2a319398b8dbc1cc43b39dd10ab2eb0ce2eae9d0eaf3c2162777dd615dc
  string.cpp 6b1b13dea3f94c4d542c15250f793abd638839733fd96a9da6704bfdab662e86
  caps.cpp 4ad7e2bdcdf55eb33c7d8549d7cc76d15d8ccbba33e0f57cff713e14b8e01174)
while(LH_JINJA_SUMS)
  list(POP_FRONT LH_JINJA_SUMS name sum)
  file(READ "${LH_LLAMA_SOURCE_DIR}/common/jinja/${name}" LH_CONTENT)
  lh_check_sum("jinja/${name}" "${LH_CONTENT}" "${sum}")
endwhile()

file(READ "${LH_LLAMA_SOURCE_DIR}/common/chat.h" LH_CONTENT)
lh_part_of(LH_PART "${LH_CONTENT}" "struct common_chat_template {" "\n};")
lh_check_sum("struct common_chat_template" "${LH_PART}" 9fc6e5cc11424bff2bde4ce6ea6372fd1d4143f60d5fb33d7bc9fd2e1e44d790)
file(READ "${LH_LLAMA_SOURCE_DIR}/common/chat.cpp" LH_CONTENT)
lh_part_of(LH_PART "${LH_CONTENT}" "struct common_chat_templates {" "\n};")
lh_check_sum("struct common_chat_templates" "${LH_PART}" 5ff5978a617646699b1a0cc0520946a6414855ec4cce701ef467470c221b72ab)
lh_part_of(LH_PART "${LH_CONTENT}" "common_chat_templates_ptr common_chat_templates_init(" "\n}\n")
lh_check_sum("common_chat_templates_init()" "${LH_PART}" c9ab5ba18cdacf2d2cdd18bc4d333b361b4373911a6ee4e3750d42e52ddeabc8)
