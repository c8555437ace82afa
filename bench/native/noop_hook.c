/* Hooks in C for benchmarks, as a user would write them: a library of its own that sees hooks.h and nothing else.
 * Must not: do more than their names say. */
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "llama_hooks/hooks.h"

LH_API int bench_noop(int32_t point, const char *context_json, char **modified_json, void *user_data);
LH_API int bench_upper(int32_t point, const char *context_json, char **modified_json, void *user_data);

/* Answers nothing. */
int bench_noop(int32_t point, const char *context_json, char **modified_json, void *user_data) {
  (void)point, (void)context_json, (void)modified_json, (void)user_data;
  return 0;
}

/* ON_STREAM_TOKEN: answers with the text in upper case. A text with an escape stays unchanged, because parsing JSON is
 * not measured here. */
int bench_upper(int32_t point, const char *context_json, char **modified_json, void *user_data) {
  static const char key[] = "\"text\":\"";
  const char *text = strstr(context_json, key);
  size_t length;
  char *answer;
  (void)point, (void)user_data;
  if (text == NULL) return 0;
  text += sizeof key - 1;
  length = strcspn(text, "\"\\");
  if (text[length] != '"') return 0;
  answer = (char *)lh_alloc(length + 1);
  if (answer == NULL) return 0;
  for (size_t i = 0; i < length; ++i) answer[i] = (char)toupper((unsigned char)text[i]);
  answer[length] = '\0';
  *modified_json = answer;
  return 0;
}
