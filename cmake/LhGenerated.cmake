# Headers that scripts of Node write into LH_GENERATED_DIR.

if(NOT LH_NODE_PROGRAM)
  find_program(LH_NODE_PROGRAM NAMES node nodejs REQUIRED)
endif()
set(LH_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
file(MAKE_DIRECTORY "${LH_GENERATED_DIR}")

function(lh_generate header script)
  set(file "${LH_GENERATED_DIR}/${header}")
  execute_process(
    COMMAND "${LH_NODE_PROGRAM}" "${CMAKE_SOURCE_DIR}/scripts/build/${script}" "${file}.new"
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "scripts/build/${script} failed")
  endif()
  # Left alone when nothing has changed, so that nothing is compiled anew.
  configure_file("${file}.new" "${file}" COPYONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/scripts/build/${script}")
endfunction()

lh_generate(nfc_table.h unicode-table.mjs) # what Unicode calls normal form C, as this Node knows it
if(WIN32)
  lh_generate(node_functions.h node-functions.mjs)
endif()
