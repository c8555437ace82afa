# llama.cpp: target lh_llama_cpp to link, LH_LLAMA_INCLUDES for files named llama_*, and
# lh_find_llama_at_run_time(target) for whatever is loaded or run.

set(LH_LLAMA_INCLUDES
  "${LH_LLAMA_SOURCE_DIR}/include" "${LH_LLAMA_SOURCE_DIR}/common" "${LH_LLAMA_SOURCE_DIR}/ggml/include"
  "${LH_LLAMA_SOURCE_DIR}/vendor")
add_library(lh_llama_cpp INTERFACE)
set(LH_MODULE MODULE) # what Node and ggml open

if(LH_LLAMA STREQUAL "none")
  set(LH_MODULE OBJECT) # nothing can be linked
elseif(LH_LLAMA STREQUAL "source")
  # Shared, with backends as modules, like the prebuilt ones: the engine loads them by path either way. Only its C++
  # library goes into what uses it, so that classes and exceptions stay in one module: each library that Zig links has a
  # C++ runtime of its own.
  set(BUILD_SHARED_LIBS ON)
  set(GGML_BACKEND_DL ON CACHE BOOL "" FORCE)
  set(GGML_NATIVE OFF CACHE BOOL "")
  set(LLAMA_OPENSSL OFF CACHE BOOL "" FORCE)
  foreach(part COMMON TESTS TOOLS EXAMPLES SERVER APP UI)
    set(LLAMA_BUILD_${part} OFF CACHE BOOL "" FORCE)
  endforeach()
  set(LLAMA_USE_PREBUILT_UI OFF CACHE BOOL "" FORCE) # would be downloaded
  set(CMAKE_PLATFORM_NO_VERSIONED_SONAME ON) # one file a library: npm's packages hold no links
  if(WIN32)
    # A MinGW linker exports everything, the C library's own functions too, unless a file says what.
    set(CMAKE_SUPPORT_WINDOWS_EXPORT_ALL_SYMBOLS ON)
    set(CMAKE_WINDOWS_EXPORT_ALL_SYMBOLS ON)
  endif()
  add_subdirectory("${LH_LLAMA_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/llama")
  function(lh_add_common)
    set(BUILD_SHARED_LIBS OFF)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(PROJECT_SOURCE_DIR "${LH_LLAMA_SOURCE_DIR}") # which it searches for llama.cpp's commit
    foreach(name LLAMA_BUILD_NUMBER LLAMA_BUILD_COMMIT BUILD_COMPILER BUILD_TARGET)
      get_directory_property(${name} DIRECTORY "${LH_LLAMA_SOURCE_DIR}" DEFINITION ${name})
    endforeach()
    foreach(part vendor/cpp-httplib common)
      add_subdirectory("${LH_LLAMA_SOURCE_DIR}/${part}" "${CMAKE_BINARY_DIR}/llama/${part}")
    endforeach()
  endfunction()
  lh_add_common()
  # Beside the addon: on Windows nothing is looked for elsewhere.
  function(lh_libraries_beside_addon directory)
    get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type MATCHES "^(SHARED|MODULE)_LIBRARY$")
        set_target_properties(${target} PROPERTIES
          RUNTIME_OUTPUT_DIRECTORY "${LH_OUTPUT_DIR}" LIBRARY_OUTPUT_DIRECTORY "${LH_OUTPUT_DIR}")
      endif()
    endforeach()
    get_property(below DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
    foreach(one IN LISTS below)
      lh_libraries_beside_addon("${one}")
    endforeach()
  endfunction()
  lh_libraries_beside_addon("${LH_LLAMA_SOURCE_DIR}")
  target_link_libraries(lh_llama_cpp INTERFACE llama-common llama ggml ggml-base)
  set(LH_LLAMA_LIB_DIR "${LH_OUTPUT_DIR}")
  set(LH_GGML_BASE ggml-base)
else()
  # Some names carry backend and release: libllama.v0.5.0.so, libggml-base.so, libllama.metal.v0.5.0.dylib.
  foreach(name llama-common llama ggml ggml-base)
    set(extension "${CMAKE_SHARED_LIBRARY_SUFFIX}")
    file(GLOB found "${LH_LLAMA_LIB_DIR}/lib${name}${extension}" "${LH_LLAMA_LIB_DIR}/lib${name}.*${extension}")
    list(LENGTH found count)
    if(NOT count EQUAL 1)
      message(FATAL_ERROR "${count} libraries called ${name} in LH_LLAMA_LIB_DIR (\"${LH_LLAMA_LIB_DIR}\"), one is needed")
    endif()
    target_link_libraries(lh_llama_cpp INTERFACE "${found}")
    set(LH_GGML_BASE "${found}") # the last one
  endforeach()
endif()

# What the addon's own folder is searched for when nothing has opened the libraries before it (native/loader): where a
# clone has them, then beside and below the platform's package, where package managers put its dependency.
function(lh_find_llama_at_run_time target)
  # Relative to the addon, so that the project's folder can be moved; absolute if they share no folder.
  get_filename_component(from "${LH_OUTPUT_DIR}" REALPATH)
  get_filename_component(to "${LH_LLAMA_LIB_DIR}" REALPATH)
  file(RELATIVE_PATH relative "${from}" "${to}")
  string(REGEX REPLACE "^/([^/]*)/.*$" "\\1" from_top "${from}")
  string(REGEX REPLACE "^/([^/]*)/.*$" "\\1" to_top "${to}")
  if(APPLE)
    set(origin "@loader_path")
  else()
    set(origin "$ORIGIN")
  endif()
  if(from_top STREQUAL to_top)
    set(path "${origin}/${relative}")
  else()
    set(path "${to}")
  endif()
  if(LH_LLAMA_LIB_DIR MATCHES "/node_modules/(@node-llama-cpp/[^;]*)$")
    list(APPEND path "${origin}/../../${CMAKE_MATCH_1}" "${origin}/node_modules/${CMAKE_MATCH_1}")
  endif()
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${path}")
endfunction()
