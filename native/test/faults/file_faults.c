/* Preloaded into a process: the n-th operation on files below a folder fails, or is the last thing that the process
 * does. LH_FAULT_FOLDER: the folder; LH_FAULT_AT: n, from 1; LH_FAULT: "kill" (SIGKILL before the operation), "full"
 * (ENOSPC from it on, for what writes) or "io" (EIO once). LH_FAULT_COUNT: a file outside the folder that gets the
 * number of operations when the process ends by itself.
 * Must not: allocate, or count what is done elsewhere. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kMostFiles = 4096 };

static const char* folder;
static const char* fault = "";
static long wanted;
static long done;
static char ours[kMostFiles]; /* by file descriptor */

__attribute__((constructor)) static void begin(void) {
  const char* const at = getenv("LH_FAULT_AT");
  folder = getenv("LH_FAULT_FOLDER");
  if (getenv("LH_FAULT") != NULL) fault = getenv("LH_FAULT");
  wanted = at == NULL ? 0 : atol(at);
}

__attribute__((destructor)) static void tell(void) {
  const char* const path = getenv("LH_FAULT_COUNT");
  FILE* const file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%ld\n", __atomic_load_n(&done, __ATOMIC_SEQ_CST));
  fclose(file);
}

static int is_below(const char* path) {
  return folder != NULL && path != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_ours(int file) { return file >= 0 && file < kMostFiles && ours[file] != 0; }

/* Counts an operation. Non-zero: it fails, with errno set. */
static int fails(int writes) {
  const long now = __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
  if (wanted == 0 || now < wanted) return 0;
  if (strcmp(fault, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(fault, "full") == 0 && writes) {
    errno = ENOSPC;
    return 1;
  }
  if (strcmp(fault, "io") == 0 && now == wanted) {
    errno = EIO;
    return 1;
  }
  return 0;
}

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

static int opened(int file, int below) {
  if (file >= 0 && file < kMostFiles) ours[file] = (char)below;
  return file;
}

#define DEFINE_OPEN(name)                                                                                       \
  int name(const char* path, int flags, ...) {                                                                  \
    va_list rest;                                                                                               \
    mode_t mode;                                                                                                \
    const int writes = (flags & (O_WRONLY | O_RDWR)) != 0;                                                      \
    va_start(rest, flags);                                                                                      \
    mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                                     \
    va_end(rest);                                                                                               \
    if (is_below(path) && writes && fails((flags & O_CREAT) != 0)) return -1;                                   \
    return opened(REAL(#name, int (*)(const char*, int, mode_t))(path, flags, mode), is_below(path) && writes); \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

int close(int file) {
  if (is_ours(file)) {
    ours[file] = 0;
    if (fails(0)) {
      REAL("close", int (*)(int))(file);
      errno = EIO;
      return -1;
    }
  }
  return REAL("close", int (*)(int))(file);
}

ssize_t write(int file, const void* bytes, size_t count) {
  if (is_ours(file) && fails(1)) return -1;
  return REAL("write", ssize_t(*)(int, const void*, size_t))(file, bytes, count);
}

#define DEFINE_PWRITE(name, offset_type)                                                           \
  ssize_t name(int file, const void* bytes, size_t count, offset_type at) {                        \
    if (is_ours(file) && fails(1)) return -1;                                                      \
    return REAL(#name, ssize_t(*)(int, const void*, size_t, offset_type))(file, bytes, count, at); \
  }
DEFINE_PWRITE(pwrite, off_t)
DEFINE_PWRITE(pwrite64, off64_t)

ssize_t writev(int file, const struct iovec* parts, int count) {
  if (is_ours(file) && fails(1)) return -1;
  return REAL("writev", ssize_t(*)(int, const struct iovec*, int))(file, parts, count);
}

#define DEFINE_PWRITEV(name, offset_type)                                                               \
  ssize_t name(int file, const struct iovec* parts, int count, offset_type at) {                        \
    if (is_ours(file) && fails(1)) return -1;                                                           \
    return REAL(#name, ssize_t(*)(int, const struct iovec*, int, offset_type))(file, parts, count, at); \
  }
DEFINE_PWRITEV(pwritev, off_t)
DEFINE_PWRITEV(pwritev64, off64_t)

#define DEFINE_SYNC(name)                     \
  int name(int file) {                        \
    if (is_ours(file) && fails(1)) return -1; \
    return REAL(#name, int (*)(int))(file);   \
  }
DEFINE_SYNC(fsync)
DEFINE_SYNC(fdatasync)

#define DEFINE_TRUNCATE(name, offset_type)                     \
  int name(int file, offset_type size) {                       \
    if (is_ours(file) && fails(0)) return -1;                  \
    return REAL(#name, int (*)(int, offset_type))(file, size); \
  }
DEFINE_TRUNCATE(ftruncate, off_t)
DEFINE_TRUNCATE(ftruncate64, off64_t)

int rename(const char* from, const char* to) {
  if (is_below(from) && fails(0)) return -1;
  return REAL("rename", int (*)(const char*, const char*))(from, to);
}

int unlink(const char* path) {
  if (is_below(path) && fails(0)) return -1;
  return REAL("unlink", int (*)(const char*))(path);
}

int remove(const char* path) {
  if (is_below(path) && fails(0)) return -1;
  return REAL("remove", int (*)(const char*))(path);
}

int mkdir(const char* path, mode_t mode) {
  if (is_below(path) && fails(1)) return -1;
  return REAL("mkdir", int (*)(const char*, mode_t))(path, mode);
}
