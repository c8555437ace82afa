/* Memory of models and their results for texts, from C: estimates, automatic sizes, adapters, vectors and scores.
 * Arguments: the folder of llama.cpp's libraries, a script model, and beside it a file reranker.gguf. */
#include <stdlib.h>

#include "check.h"
#include "engine_outcome.h"
#include "llama_hooks/engine.h"

typedef lh_status (*lh_ask_fn)(lh_engine*, const char*, const lh_task_callbacks*, lh_task**, char**);

/* Returns the status of the task's end, or of its refusal. */
static lh_status ask(lh_engine* engine, lh_ask_fn function, const char* request, struct outcome* outcome) {
  char* error = NULL;
  lh_task* task = NULL;
  const lh_task_callbacks callbacks = callbacks_for(outcome);
  const lh_status status = function(engine, request, &callbacks, &task, &error);
  if (status != LH_OK) {
    snprintf(outcome->json, sizeof outcome->json, "%s", error);
    lh_free(error);
    CHECK(task == NULL && outcome->ends == 0);
    return status;
  }
  end(task);
  CHECK(outcome->ends == 1);
  return outcome->status;
}

static lh_status load(lh_engine* engine, const char* id, const char* options, struct outcome* outcome) {
  lh_task* task = NULL;
  const lh_task_callbacks callbacks = callbacks_for(outcome);
  const lh_status status = lh_model_load(engine, id, options, &callbacks, &task, NULL);
  if (status != LH_OK) return status;
  end(task);
  return outcome->status;
}

static void test_estimate(lh_engine* engine, const char* model_file) {
  struct outcome outcome;
  char options[1024];
  snprintf(options, sizeof options, "{\"path\": \"%s\", \"context_size\": 512}", model_file);
  CHECK(ask(engine, lh_model_estimate, options, &outcome) == LH_OK);
  CHECK_HAS(outcome.json, "\"context_size\":512");
  CHECK_HAS(outcome.json, "\"fits\":true");
  CHECK(ask(engine, lh_model_estimate, "{\"path\": \"x\", \"keep_alive\": -1}", &outcome) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(outcome.json, "keep_alive");
}

/* The chosen numbers are the same in the estimate, the load and the list. */
static void test_sizes_that_fit(lh_engine* engine, const char* model_file) {
  struct outcome outcome;
  char options[1024];
  char* json = NULL;
  snprintf(options, sizeof options,
           "{\"path\": \"%s\", \"threads\": 1, \"parallel\": 1, \"gpu_layers\": \"auto\", \"context_size\": \"auto\"}",
           model_file);
  CHECK(ask(engine, lh_model_estimate, options, &outcome) == LH_OK);
  CHECK_HAS(outcome.json, "\"context_size\":4096");
  CHECK_HAS(outcome.json, "\"gpu_layers\":0");
  CHECK(load(engine, "m", options, &outcome) == LH_OK);
  CHECK_HAS(outcome.json, "\"context_size\":4096");
  CHECK(lh_model_describe(engine, "m", &json, NULL) == LH_OK);
  CHECK_HAS(json, "\"context_size\":4096");
  lh_free(json);
  CHECK(load(engine, "other", "{\"path\": \"x\", \"context_size\": \"most\"}", &outcome) == LH_ERR_INVALID_ARGUMENT);
  snprintf(options, sizeof options, "{\"path\": \"%s\", \"devices\": [\"Nowhere\"]}", model_file);
  CHECK(load(engine, "other", options, &outcome) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(outcome.json, "Nowhere");
}

/* The effect of adapters is tested in TypeScript, which can write adapters; here only arguments and refusals. */
static void test_adapters(lh_engine* engine, const char* model_file) {
  struct outcome outcome;
  char options[1024];
  char* json = NULL;
  char* error = NULL;
  lh_task* task = NULL;
  lh_task_callbacks callbacks = callbacks_for(&outcome);
  CHECK(lh_adapter_list(engine, &json) == LH_OK);
  CHECK(strcmp(json, "[]") == 0);
  lh_free(json);
  CHECK(lh_adapter_load(engine, "a", "{\"path\": \"x\", \"nonsense\": 1}", &callbacks, &task, &error) ==
        LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(error, "nonsense");
  lh_free(error);
  CHECK(lh_adapter_load(engine, "", "{\"path\": \"x\"}", &callbacks, &task, NULL) == LH_ERR_INVALID_ARGUMENT);
  snprintf(options, sizeof options, "{\"path\": \"%s\"}", model_file);
  CHECK(lh_adapter_load(engine, "a", options, &callbacks, &task, NULL) == LH_OK);
  end(task);
  CHECK(outcome.ends == 1 && outcome.status == LH_ERR_MODEL_FILE_INVALID);
  CHECK_HAS(outcome.json, "this is no LoRA adapter");
  CHECK(lh_adapter_unload(engine, "a", &callbacks, &task, NULL) == LH_ERR_NOT_FOUND);
  CHECK(lh_adapter_swap(engine, "nobody", "{\"adapters\": []}", &callbacks, &task, NULL) == LH_ERR_NOT_FOUND);
  CHECK(lh_adapter_swap(engine, "nobody", "{}", &callbacks, &task, NULL) == LH_ERR_INVALID_ARGUMENT);
  CHECK(ask(engine, lh_generate, "{\"prompt\": \"x\", \"params\": {\"adapters\": [{\"id\": \"a\"}]}}", &outcome) ==
        LH_ERR_NOT_FOUND);
  CHECK(ask(engine, lh_generate, "{\"prompt\": \"x\", \"params\": {\"adapters\": [{\"id\": 1}]}}", &outcome) ==
        LH_ERR_INVALID_ARGUMENT);
}

static void test_embed(lh_engine* engine) {
  struct outcome outcome;
  char first[sizeof outcome.json];
  const char* request =
      "{\"model\": \"r\", \"texts\": [\"one\", \"two\"], \"pooling\": \"mean\", \"encoding\": \"base64\"}";
  CHECK(ask(engine, lh_embed, request, &outcome) == LH_OK);
  CHECK_HAS(outcome.json, "\"dimensions\":64");
  CHECK_HAS(outcome.json, "\"pooling\":\"mean\"");
  snprintf(first, sizeof first, "%s", outcome.json);
  CHECK(ask(engine, lh_embed, request, &outcome) == LH_OK);
  CHECK(strcmp(first, outcome.json) == 0);
  CHECK(ask(engine, lh_embed, "{\"texts\": [\"one\"]}", &outcome) == LH_ERR_MODEL_NOT_LOADED);
  CHECK_HAS(outcome.json, "several models");
  CHECK(ask(engine, lh_embed, "{\"model\": \"r\", \"texts\": [1]}", &outcome) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(outcome.json, "texts");
  CHECK(ask(engine, lh_embed, "{\"model\": \"nobody\", \"texts\": [\"one\"]}", &outcome) == LH_ERR_MODEL_NOT_LOADED);
}

static void test_rerank(lh_engine* engine) {
  struct outcome outcome;
  CHECK(ask(engine, lh_rerank,
            "{\"model\": \"r\", \"query\": \"q\", \"documents\": [\"one\", \"two\", \"three\"], \"top_n\": 2}",
            &outcome) == LH_OK);
  CHECK_HAS(outcome.json, "\"relevance_score\":");
  CHECK_HAS(strstr(outcome.json, "\"index\":") + 1, "\"index\":");
  CHECK(ask(engine, lh_rerank, "{\"model\": \"m\", \"query\": \"q\", \"documents\": [\"one\"]}", &outcome) ==
        LH_ERR_UNSUPPORTED_BY_MODEL);
  CHECK(ask(engine, lh_rerank, "{\"model\": \"r\", \"query\": \"q\"}", &outcome) == LH_ERR_INVALID_ARGUMENT);
  CHECK_HAS(outcome.json, "documents");
}

int main(int argc, char** argv) {
  char options[1024];
  struct outcome outcome;
  lh_engine* engine = NULL;
  const char* name;
  if (argc != 3) return 2;
  snprintf(options, sizeof options, "{\"libraries\": \"%s\"}", argv[1]);
  CHECK(lh_engine_create(options, &engine, NULL) == LH_OK);
  test_estimate(engine, argv[2]);
  test_sizes_that_fit(engine, argv[2]);
  test_adapters(engine, argv[2]);
  name = strrchr(argv[2], '/');
  snprintf(options, sizeof options, "{\"path\": \"%.*s/reranker.gguf\", \"threads\": 1}", (int)(name - argv[2]),
           argv[2]);
  CHECK(load(engine, "r", options, &outcome) == LH_OK);
  test_embed(engine);
  test_rerank(engine);
  lh_engine_free(engine);
  CHECK(lh_alloc_balance() == 0);
  return check_result("engine_models_test");
}
