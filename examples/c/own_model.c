/* Adds a remote model: functions of this file compute its answers, on a separate thread, and llama.cpp takes no part.
 * Hooks see these answers like those of any model. Argument: the folder of llama.cpp's libraries. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llama_hooks/engine.h"

static const char *const kWords[] = {"This", " was", " said", " elsewhere."};

struct room { /* room in the stream: wake() says that it has some again, or that it is over */
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int woken;
};

static void wake(void *user_data) {
  struct room *room = user_data;
  pthread_mutex_lock(&room->mutex);
  room->woken = 1;
  pthread_cond_signal(&room->changed);
  pthread_mutex_unlock(&room->mutex);
}

static void await(struct room *room) {
  pthread_mutex_lock(&room->mutex);
  while (!room->woken) pthread_cond_wait(&room->changed, &room->mutex);
  room->woken = 0;
  pthread_mutex_unlock(&room->mutex);
}

/* Sends the words. A real model would read them from a socket here. */
static void *speak(void *user_data) {
  lh_stream *stream = user_data;
  struct room room = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
  size_t i = 0;
  lh_stream_on_wake(stream, wake, &room);
  while (i < sizeof kWords / sizeof *kWords) {
    char piece[128];
    lh_status status;
    snprintf(piece, sizeof piece, "{\"text\": \"%s\", \"tokens\": 1}", kWords[i]);
    status = lh_stream_piece(stream, piece, NULL);
    if (status == LH_OK) ++i;
    if (status == LH_ERR_BUSY) await(&room); /* and send it again */
    if (status != LH_OK && status != LH_ERR_BUSY) break;
  }
  lh_stream_end(stream, LH_OK, "{\"usage\": {\"prompt_tokens\": 5, \"completion_tokens\": 4}}", NULL);
  return NULL;
}

/* Begins an answer and returns at once: the engine's thread reads while the thread of speak() writes. */
static lh_status generate(const char *request_json, lh_stream *stream, void *user_data) {
  pthread_t thread;
  (void)user_data;
  printf("asked: %s\n", request_json);
  if (pthread_create(&thread, NULL, speak, stream) != 0) return LH_ERR_NO_THREAD;
  pthread_detach(thread);
  return LH_OK;
}

static int shout(int32_t point, const char *context_json, char **modified_json, void *user_data) {
  (void)point, (void)user_data;
  if (strstr(context_json, "elsewhere") != NULL) *modified_json = lh_strdup(" ELSEWHERE!"); /* in its place */
  return 0;
}

static void on_end(lh_status status, const char *json, void *user_data) {
  printf("%s with %d: %s\n", (const char *)user_data, (int)status, json);
}

static int finish(lh_status started, lh_task *task) {
  if (started != LH_OK) return 0;
  lh_task_wait(task);
  lh_task_free(task);
  return 1;
}

int main(int argc, char **argv) {
  char options[4096];
  lh_engine *engine = NULL;
  lh_task *task = NULL;
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  lh_generator model = LH_GENERATOR_INIT;
  lh_status started;
  uint64_t hook = 0;
  int ok;
  if (argc != 2) {
    fprintf(stderr, "usage: %s <folder of llama.cpp's libraries>\n", argv[0]);
    return 2;
  }
  snprintf(options, sizeof options, "{\"libraries\": \"%s\", \"gpu\": false}", argv[1]);
  if (lh_engine_create(options, &engine, NULL) != LH_OK) return 1;
  callbacks.on_end = on_end;
  callbacks.user_data = "added";
  model.generate = generate;
  started = lh_model_add(engine, "far", "{\"address\": \"this file\", \"description\": \"four words\"}", &model, &callbacks,
                         &task, NULL);
  ok = finish(started, task);
  lh_hook_add(lh_engine_hooks(engine), LH_HOOK_ON_STREAM_TOKEN, shout, NULL, NULL, &hook, NULL);
  callbacks.user_data = "answered";
  started = lh_generate(engine, "{\"messages\": [{\"role\": \"user\", \"content\": \"Who said this?\"}]}", &callbacks, &task,
                        NULL);
  ok = finish(started, task) && ok;
  lh_engine_free(engine);
  return ok ? 0 : 1;
}
