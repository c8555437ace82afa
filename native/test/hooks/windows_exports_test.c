/* The values of LH_API and LH_EXPORT on Windows, checked on any system. LH_WANTED is the expected LH_API. */
#include <stddef.h>
#include <stdint.h>

#include "check.h"

#define _WIN32 1
#define __declspec(what) /* this compiler need not know it */
#include "llama_hooks/hooks.h"
#undef __declspec

#define TEXT_OF(...) #__VA_ARGS__
#define EXPANDED(...) TEXT_OF(__VA_ARGS__)

int main(void) {
  CHECK(strcmp(EXPANDED(LH_API), LH_WANTED) == 0);
  CHECK(strcmp(EXPANDED(LH_EXPORT), "__declspec(dllexport)") == 0);
  return check_result("windows_exports_test");
}
