"""litellm with OpenAI (Chat Completions) and Anthropic."""

import json
import sys

import litellm
from cell import Answer, serve


class LiteLLM:
    def system(self, text):
        return {"role": "system", "content": text}

    def user(self, text):
        return {"role": "user", "content": text}

    def said(self, text):
        return {"role": "assistant", "content": text}

    def call(self, text, id, name, args):
        function = {"name": name, "arguments": json.dumps(args)}
        return {**self.said(text), "tool_calls": [{"id": id, "type": "function", "function": function}]}

    def result(self, id, name, text):
        return {"role": "tool", "tool_call_id": id, "content": text}

    def ask(self, task, messages, tools=False, schema=None, max_tokens=None, thinks=False):
        provider = {
            "chat": {"model": f"openai/{task['model']}", "api_base": task["url"]},
            "messages": {"model": f"anthropic/{task['model']}", "api_base": task["origin"]},
        }[sys.argv[1]]
        asked = {**provider, "messages": messages, "api_key": "none", "max_retries": 0, "stream": task["stream"]}
        if tools:
            asked["tools"] = [{"type": "function", "function": task["tool"]}]
        if schema is not None:
            form = {"name": "answer", "strict": True, "schema": schema}
            asked["response_format"] = {"type": "json_schema", "json_schema": form}
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
        calls = [
            {"id": call.id, "name": call.function.name, "args": json.loads(call.function.arguments)}
            for call in message.tool_calls or []
        ]
        reasoning = getattr(message, "reasoning_content", None) or ""
        answer = message.model_dump(exclude_none=True)
        return Answer([answer], message.content or "", reasoning, calls, choice.finish_reason == "length")


serve(LiteLLM())
