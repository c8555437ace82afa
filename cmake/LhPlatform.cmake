# What differs between systems, as this one has it: LH_PLATFORM_SOURCES, LH_SYSTEM_LIBRARIES to link with them, and
# lh_node_addon(target) for what Node loads.

find_package(Threads REQUIRED)
set(LH_SYSTEM_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS})

if(WIN32)
  set(folders windows)
  list(APPEND LH_SYSTEM_LIBRARIES ws2_32 psapi)
elseif(APPLE)
  set(folders posix macos)
  if(CMAKE_CXX_COMPILER MATCHES "zig")
    # Its linker fails at a bundle. Node opens a library as well; the other names are what Apple's CMake files leave out.
    set(CMAKE_SHARED_MODULE_CREATE_CXX_FLAGS "-dynamiclib")
    set(CMAKE_SHARED_LIBRARY_RUNTIME_CXX_FLAG "-Wl,-rpath,")
    set(CMAKE_EXECUTABLE_RUNTIME_CXX_FLAG "-Wl,-rpath,")
  endif()
else()
  set(folders posix linux)
endif()
foreach(folder ${folders})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/native/platform/${folder}/*.cpp")
  list(APPEND LH_PLATFORM_SOURCES ${sources})
endforeach()

# Functions of Node-API are the program's that loads the addon. A library of Windows must say which program that is, and
# Electron's and Bun's have other names than node.exe: there the addon asks the program itself.
function(lh_node_addon target)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".node")
  target_include_directories(${target} SYSTEM PRIVATE ${LH_NODE_INCLUDES})
  target_compile_definitions(${target} PRIVATE NAPI_VERSION=8) # built for 10, it would crash Node 20
  if(APPLE)
    target_link_options(${target} PRIVATE -undefined dynamic_lookup)
  elseif(WIN32)
    target_sources(${target} PRIVATE "${CMAKE_SOURCE_DIR}/native/platform/windows/node/imports.cpp")
    target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/native" "${LH_GENERATED_DIR}")
    target_compile_definitions(${target} PRIVATE BUILDING_NODE_EXTENSION) # the functions are dllimport
  endif()
endfunction()
