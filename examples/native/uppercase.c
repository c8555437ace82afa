/* A hook in C: runs on the engine's threads, without JavaScript. Build it and run it:
 *   gcc -shared -fPIC -I native/include -o uppercase.so examples/native/uppercase.c
 *   npx llama-hooks run --prompt "Hello!" --trace --native ./uppercase.so:uppercase@postGenerate
 * lh_strdup comes from the addon when the library is loaded: nothing is linked. */
#include <ctype.h>
#include <string.h>

#include "llama_hooks/hooks.h"

/* At POST_GENERATE the answer is the replacement text itself. The context is JSON; this copies the text
 * between the quotes of its "content", which is enough for text without escapes. A real hook uses a JSON library. */
int uppercase(int32_t hook_point, const char *context_json, char **modified_json, void *user_data) {
  static const char key[] = "\"content\":\"";
  const char *begin = strstr(context_json, key);
  (void)hook_point;
  (void)user_data;
  if (!begin) return 0;
  begin += sizeof key - 1;
  size_t length = strcspn(begin, "\"");
  if (length == 0 || memchr(begin, '\\', length)) return 0;

  char *answer = lh_alloc(length + 1); /* the engine frees it */
  if (!answer) return 0;
  for (size_t i = 0; i < length; i++) answer[i] = (char)toupper((unsigned char)begin[i]);
  answer[length] = '\0';
  *modified_json = answer;
  return 0;
}
