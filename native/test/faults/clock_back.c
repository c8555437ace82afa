/* Preloaded into a process: every second read of the wall clock is an hour early, as if someone kept setting the clock.
 * Clocks that measure durations stay as they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

enum { kHour = 3600 };

static long looks;

static long shift(void) { return __atomic_add_fetch(&looks, 1, __ATOMIC_SEQ_CST) % 2 == 0 ? kHour : 0; }

int clock_gettime(clockid_t clock, struct timespec* out) {
  const int status = ((int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime"))(clock, out);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) out->tv_sec -= shift();
  return status;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
  const int status = ((int (*)(struct timeval* restrict, void* restrict))dlsym(RTLD_NEXT, "gettimeofday"))(out, zone);
  if (status == 0) out->tv_sec -= shift();
  return status;
}

time_t time(time_t* out) {
  struct timeval now;
  if (gettimeofday(&now, NULL) != 0) return (time_t)-1;
  if (out != NULL) *out = now.tv_sec;
  return now.tv_sec;
}
