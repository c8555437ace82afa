"""litellm with OpenAI (Chat Completions) and Anthropic."""

import sys

import litellm
from cell import Answer, ChatMessages, response_format, serve


class LiteLLM(ChatMessages):
    def ask(self, task, messages, tools=False, schema=None, max_tokens=None, thinks=False):
        provider = {
            "chat": {"model": f"openai/{task['model']}", "api_base": task["url"]},
            "messages": {"model": f"anthropic/{task['model']}", "api_base": task["origin"]},
        }[sys.argv[1]]
        asked = {**provider, "messages": messages, "api_key": "none", "max_retries": 0, "stream": task["stream"]}
        if tools:
            asked["tools"] = [{"type": "function", "function": task["tool"]}]
        if schema is not None:
            asked["response_format"] = response_format(schema)
        if max_tokens is not None:
            asked["max_tokens"] = max_tokens
        if thinks and sys.argv[1] == "messages":
            asked["thinking"] = {"type": "enabled", "budget_tokens": 1024}
        elif thinks:
            asked.update(reasoning_effort="medium", allowed_openai_params=["reasoning_effort"])
        completion = litellm.completion(**asked)
        if task["stream"]:
            completion = litellm.stream_chunk_builder(list(completion), messages=messages)
        choice = completion.choices[0]
        message = choice.message
        calls = self.calls(message)
        reasoning = getattr(message, "reasoning_content", None) or ""
        answer = message.model_dump(exclude_none=True)
        return Answer([answer], message.content or "", reasoning, calls, choice.finish_reason == "length")


serve(LiteLLM())
