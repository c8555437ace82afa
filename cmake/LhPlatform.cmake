# LH_PLATFORM_SOURCES: what differs between systems, as this one has it.

if(WIN32)
  set(folders windows)
elseif(APPLE)
  set(folders posix macos)
else()
  set(folders posix linux)
endif()
foreach(folder ${folders})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/../native/platform/${folder}/*.cpp")
  list(APPEND LH_PLATFORM_SOURCES ${sources})
endforeach()
