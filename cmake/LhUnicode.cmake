# Writes generated/nfc_table.h of the build folder with Node, which knows Unicode. Sets LH_GENERATED_DIR.

if(NOT LH_NODE_PROGRAM)
  find_program(LH_NODE_PROGRAM NAMES node nodejs REQUIRED)
endif()
set(LH_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
file(MAKE_DIRECTORY "${LH_GENERATED_DIR}")
execute_process(
  COMMAND "${LH_NODE_PROGRAM}" "${CMAKE_SOURCE_DIR}/scripts/unicode-table.mjs" "${LH_GENERATED_DIR}/nfc_table.h.new"
  RESULT_VARIABLE LH_TABLE_STATUS)
if(NOT LH_TABLE_STATUS EQUAL 0)
  message(FATAL_ERROR "scripts/unicode-table.mjs failed")
endif()
# Left alone when nothing has changed, so that nothing is compiled anew.
configure_file("${LH_GENERATED_DIR}/nfc_table.h.new" "${LH_GENERATED_DIR}/nfc_table.h" COPYONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/scripts/unicode-table.mjs")
