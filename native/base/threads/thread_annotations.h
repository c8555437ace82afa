// Names for clang's thread safety attributes; other compilers ignore them.
// Must not: be used on a std::mutex, which libstdc++ does not annotate: use lh::Mutex.
#pragma once

#if defined(__clang__)
#define LH_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define LH_THREAD_ATTRIBUTE(x)
#endif

#define LH_CAPABILITY(name) LH_THREAD_ATTRIBUTE(capability(name))
#define LH_SCOPED_CAPABILITY LH_THREAD_ATTRIBUTE(scoped_lockable)
#define LH_GUARDED_BY(mutex) LH_THREAD_ATTRIBUTE(guarded_by(mutex))
#define LH_PT_GUARDED_BY(mutex) LH_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
#define LH_REQUIRES(...) LH_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define LH_EXCLUDES(...) LH_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define LH_ACQUIRE(...) LH_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define LH_RELEASE(...) LH_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define LH_TRY_ACQUIRE(...) LH_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define LH_NO_THREAD_SAFETY_ANALYSIS LH_THREAD_ATTRIBUTE(no_thread_safety_analysis)
