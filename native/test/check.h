/* Checks for the native tests, in C and C++: a failed one prints its place, and the test continues.
 * Must not: need more than the C library. */
#ifndef LLAMA_HOOKS_TEST_CHECK_H
#define LLAMA_HOOKS_TEST_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_failures = 0;

static inline int check_that(int ok, const char* what, const char* file, int line) {
  if (!ok) {
    ++check_failures;
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
  }
  return ok;
}

static inline int check_text(const char* text, const char* part, int wanted, const char* file, int line) {
  const int found = text != NULL && strstr(text, part) != NULL;
  if (found != wanted) {
    ++check_failures;
    fprintf(stderr, "%s:%d: failed: %s \"%s\" in %s\n", file, line, wanted ? "no" : "there is", part,
            text == NULL ? "NULL" : text);
  }
  return found == wanted;
}

#define CHECK(condition) check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_HAS(text, part) check_text((text), (part), 1, __FILE__, __LINE__)
#define CHECK_LACKS(text, part) check_text((text), (part), 0, __FILE__, __LINE__)

/* The exit status of a test program. */
static inline int check_result(const char* name) {
  if (check_failures == 0) printf("%s: ok\n", name);
  return check_failures == 0 ? 0 : 1;
}

#endif
