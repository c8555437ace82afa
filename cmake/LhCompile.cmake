# How our own code is compiled: lh_own_code(target).

if(LH_SANITIZE)
  # Instrumented code takes twice as long to optimise well, and its speed is of no use.
  set(own_flags "-O1 -g1 -DNDEBUG")
else()
  set(own_flags "-O2 -DNDEBUG")
endif()
set(CMAKE_CXX_FLAGS_RELEASE "${own_flags}")
set(CMAKE_C_FLAGS_RELEASE "${own_flags}")

if(LH_SANITIZE)
  # Of every target, tests and benchmarks too: a half-instrumented program does not link. An addon so built is run with
  # the sanitizer's library in LD_PRELOAD.
  add_compile_options("-fsanitize=${LH_SANITIZE}" -fno-omit-frame-pointer)
  add_link_options("-fsanitize=${LH_SANITIZE}")
endif()

function(lh_own_code target)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    # Only LH_API names leave the addon, so that two addons in one process cannot meet.
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    # One unit for all its C++ sources: most of the time goes to the JSON library's templates, which they then share.
    UNITY_BUILD ${LH_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/native" "${CMAKE_SOURCE_DIR}/native/include")
  target_compile_definitions(${target} PRIVATE LH_BUILD) # these targets are the library that the headers describe
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow
    $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wthread-safety>
    # Clang counts the names of other files of a unit, too.
    $<$<AND:$<CXX_COMPILER_ID:Clang,AppleClang>,$<BOOL:${LH_UNITY}>>:-Wno-shadow> $<$<BOOL:${LH_WERROR}>:-Werror>)
endfunction()

# For code that each token passes. In a unit GCC stops inlining once the unit has grown by 40 %: a token with a C hook then
# takes 5,175 instructions in place of 4,300 (scripts/check/instructions.mjs).
function(lh_hot_code target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=inline-unit-growth=300;--param=large-unit-insns=1000000>)
endfunction()
