/* Renders the prompts of N turns of a long conversation, for callgrind to count: each turn has two messages more than
 * the one before. The program is a client of the C ABI, so the count has all that a caller of the engine waits for.
 * Arguments: the folder of llama.cpp's libraries, a GGUF file, the file of a chat template, the number of messages, N.
 * Must not: do anything else N times; scripts/check/instructions.mjs attributes the difference of two runs to a turn.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llama_hooks/engine.h"

/* A text that grows. */
typedef struct text {
  char *chars;
  size_t length, room;
} text;

static void append(text *to, const char *format, ...) {
  va_list values;
  int length;
  if (to->room - to->length < 4096) {
    to->room = 2 * to->room + 4096;
    to->chars = realloc(to->chars, to->room);
    if (to->chars == NULL) abort();
  }
  va_start(values, format);
  length = vsnprintf(to->chars + to->length, to->room - to->length, format, values);
  va_end(values);
  if (length < 0 || (size_t)length >= to->room - to->length) abort();
  to->length += (size_t)length;
}

/* Appends the content of a file as a JSON string. */
static void append_file(text *to, const char *path) {
  FILE *file = fopen(path, "rb");
  int c;
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  append(to, "\"");
  while ((c = fgetc(file)) != EOF) append(to, c < 32 || c == '"' || c == '\\' ? "\\u%04x" : "%c", c);
  append(to, "\"");
  fclose(file);
}

static void must(lh_status status, char **error_json) {
  if (status == LH_OK) return;
  fprintf(stderr, "%s\n", *error_json == NULL ? lh_status_name(status) : *error_json);
  exit(1);
}

static void on_end(lh_status status, const char *json, void *user_data) {
  (void)user_data;
  if (status != LH_OK) fprintf(stderr, "%s\n", json);
}

static void load(lh_engine *engine, const char *model, const char *chat_template) {
  text options = {NULL, 0, 0};
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  lh_task *task = NULL;
  char *error_json = NULL;
  append(&options, "{\"path\": \"%s\", \"threads\": 1, \"parallel\": 1, \"context_size\": 512, \"chat_template\": ", model);
  append_file(&options, chat_template);
  append(&options, "}");
  callbacks.on_end = on_end;
  must(lh_model_load(engine, "model", options.chars, &callbacks, &task, &error_json), &error_json);
  lh_task_wait(task);
  lh_task_free(task);
  free(options.chars);
}

static void append_tools(text *to) {
  int i;
  for (i = 0; i < 10; ++i) {
    append(to,
           "%s{\"name\": \"look_up_%d\", \"description\": \"Looks something up in register %d of the harbour.\", "
           "\"parameters\": {\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"}, "
           "\"limit\": {\"type\": \"integer\"}}, \"required\": [\"name\"]}}",
           i == 0 ? "" : ", ", i, i);
  }
}

static void append_question(text *to, int number) {
  append(to, ", {\"role\": \"user\", \"content\": \"What was the wind on day %d, and was there fog?\"}", number);
}

/* Appends questions, each with a call, its result and an answer. */
static void append_conversation(text *to, int messages) {
  int i;
  append(to, "{\"role\": \"system\", \"content\": \"You answer questions about the harbour.\"}");
  for (i = 0; 4 * i + 6 <= messages; ++i) {
    append_question(to, i);
    append(to,
           ", {\"role\": \"assistant\", \"content\": \"\", \"tool_calls\": [{\"id\": \"call%05d\", \"name\": "
           "\"look_up_1\", \"args\": {\"name\": \"wind of day %d\"}}]}",
           i, i);
    append(to, ", {\"role\": \"tool\", \"tool_call_id\": \"call%05d\", \"tool_name\": \"look_up_1\", \"content\": ", i);
    append(to, "\"west, %d knots\"}, {\"role\": \"assistant\", \"content\": \"From the west, %d knots, no fog.\"}", i, i);
  }
}

static void take_turn(lh_engine *engine, const text *conversation, const text *tools) {
  text request = {NULL, 0, 0};
  char *rendered = NULL;
  char *error_json = NULL;
  request.room = conversation->length + tools->length + 64;
  request.chars = malloc(request.room);
  if (request.chars == NULL) abort();
  snprintf(request.chars, request.room, "{\"messages\": [%s], \"tools\": [%s]}", conversation->chars, tools->chars);
  must(lh_render_prompt(engine, "model", request.chars, &rendered, &error_json), &error_json);
  lh_free(rendered);
  free(request.chars);
}

int main(int argc, char **argv) {
  char options[4096];
  char *error_json = NULL;
  lh_engine *engine = NULL;
  text conversation = {NULL, 0, 0};
  text tools = {NULL, 0, 0};
  int turn;
  if (argc != 6) {
    fprintf(stderr, "usage: turns LIBRARIES MODEL TEMPLATE MESSAGES TURNS\n");
    return 2;
  }
  snprintf(options, sizeof options, "{\"libraries\": \"%s\", \"gpu\": false}", argv[1]);
  must(lh_engine_create(options, &engine, &error_json), &error_json);
  load(engine, argv[2], argv[3]);
  append_conversation(&conversation, atoi(argv[4]));
  append_tools(&tools);
  for (turn = 0; turn < atoi(argv[5]); ++turn) {
    append_question(&conversation, 1000 + turn);
    take_turn(engine, &conversation, &tools);
    append(&conversation, ", {\"role\": \"assistant\", \"content\": \"In turn %d it was calm.\"}", turn);
  }
  lh_engine_free(engine);
  free(conversation.chars);
  free(tools.chars);
  return 0;
}
