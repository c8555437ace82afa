# Where headers and libraries are: as given, else as scripts/build/llama-paths.mjs finds them.
# Sets LH_LLAMA_SOURCE_DIR, LH_LLAMA_LIB_DIR, LH_LLAMA_RELEASE and LH_NODE_INCLUDES.

if(NOT LH_LLAMA_SOURCE_DIR OR NOT LH_LLAMA_RELEASE OR NOT LH_NODE_INCLUDE_DIRS
   OR (LH_LLAMA STREQUAL "prebuilt" AND NOT LH_LLAMA_LIB_DIR))
  find_program(LH_NODE_PROGRAM NAMES node nodejs REQUIRED)
  execute_process(
    COMMAND "${LH_NODE_PROGRAM}" "${CMAKE_SOURCE_DIR}/scripts/build/llama-paths.mjs" --cmake
    OUTPUT_VARIABLE LH_FOUND_PATHS RESULT_VARIABLE LH_FOUND_STATUS OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT LH_FOUND_STATUS EQUAL 0)
    message(FATAL_ERROR "scripts/build/llama-paths.mjs failed")
  endif()
  # Lines of NAME=value; a value may be a list.
  string(REPLACE "\n" "\t" LH_FOUND_PATHS "${LH_FOUND_PATHS}")
  string(REPLACE ";" "|" LH_FOUND_PATHS "${LH_FOUND_PATHS}")
  string(REPLACE "\t" ";" LH_FOUND_PATHS "${LH_FOUND_PATHS}")
  foreach(line IN LISTS LH_FOUND_PATHS)
    if(line MATCHES "^([A-Z_]+)=(.*)$")
      set(name "${CMAKE_MATCH_1}")
      string(REPLACE "|" ";" value "${CMAKE_MATCH_2}")
      if(NOT ${name})
        set(${name} "${value}")
      endif()
    endif()
  endforeach()
endif()
set(LH_NODE_INCLUDES ${LH_NODE_INCLUDE_DIRS})

if(NOT EXISTS "${LH_LLAMA_SOURCE_DIR}/include/llama.h")
  message(FATAL_ERROR "no llama.cpp at LH_LLAMA_SOURCE_DIR (\"${LH_LLAMA_SOURCE_DIR}\"): run `npm run build`, which clones it from node-llama-cpp's bundle")
endif()
