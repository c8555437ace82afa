/* Preloaded into a process: llama_decode returns a chosen code. LH_FAULT_CODE: the code; LH_FAULT_AT: the call that
 * returns it, from 1; LH_FAULT_TIMES: how many calls in a row (1); LH_FAULT_COUNT: a file that gets the number of calls
 * when the process ends. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* llama_batch, which is passed by value: only its size matters here. */
struct batch {
  int32_t n_tokens;
  void* rest[6];
};

typedef int32_t (*decode_fn)(void* context, struct batch batch);

static long calls;

static long number(const char* name, long otherwise) {
  const char* const text = getenv(name);
  return text == NULL ? otherwise : atol(text);
}

static int find(struct dl_phdr_info* info, size_t size, void* found) {
  const char* const name = strrchr(info->dlpi_name, '/');
  (void)size;
  if (name == NULL || strncmp(name, "/libllama.", 10) != 0) return 0;
  *(const char**)found = info->dlpi_name;
  return 1;
}

static decode_fn real_decode(void) {
  const char* path = NULL;
  void* library;
  dl_iterate_phdr(find, &path);
  library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (library == NULL) abort();
  return (decode_fn)dlsym(library, "llama_decode");
}

__attribute__((visibility("default"))) int32_t llama_decode(void* context, struct batch batch) {
  static decode_fn decode;
  const long call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  const long at = number("LH_FAULT_AT", 0);
  if (at > 0 && call >= at && call < at + number("LH_FAULT_TIMES", 1)) return (int32_t)number("LH_FAULT_CODE", -1);
  if (decode == NULL) decode = real_decode();
  return decode(context, batch);
}

__attribute__((destructor)) static void tell(void) {
  const char* const path = getenv("LH_FAULT_COUNT");
  FILE* const file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%ld\n", calls);
  fclose(file);
}
