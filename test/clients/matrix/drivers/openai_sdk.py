"""openai: Chat Completions and Responses."""

import json
import sys

from cell import Answer, ChatMessages, TextMessages, response_format, serve
from openai import LengthFinishReasonError, OpenAI


def client_of(task):
    return OpenAI(base_url=task["url"], api_key="none", max_retries=0)


class Chat(ChatMessages):
    def ask(self, task, messages, tools=False, schema=None, max_tokens=None, thinks=False):
        asked = {"model": task["model"], "messages": messages}
        if tools:
            asked["tools"] = [{"type": "function", "function": task["tool"]}]
        if schema is not None:
            asked["response_format"] = response_format(schema)
        if max_tokens is not None:
            asked["max_completion_tokens"] = max_tokens
        if thinks:
            asked["reasoning_effort"] = "medium"
        completions = client_of(task).chat.completions
        if task["stream"]:
            with completions.stream(**asked) as stream:
                deltas = [e.chunk.choices[0].delta for e in stream if e.type == "chunk" and e.chunk.choices]
                try:
                    choice = stream.get_final_completion().choices[0]
                except LengthFinishReasonError as error:
                    choice = error.completion.choices[0]
            reasoning = "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas)
        else:
            choice = completions.create(**asked).choices[0]
            reasoning = getattr(choice.message, "reasoning_content", None) or ""
        message = choice.message.model_dump(exclude_none=True)
        message.pop("parsed", None)
        for call in message.get("tool_calls", []):
            call["function"].pop("parsed_arguments", None)
        calls = self.calls(choice.message)
        return Answer([message], choice.message.content or "", reasoning, calls, choice.finish_reason == "length")


class Responses(TextMessages):
    def system(self, text):
        return {"role": "developer", "content": text}

    def call(self, text, id, name, args):
        return [
            self.said(text),
            {"type": "function_call", "call_id": id, "name": name, "arguments": json.dumps(args)},
        ]

    def result(self, id, name, text):
        return {"type": "function_call_output", "call_id": id, "output": text}

    def ask(self, task, messages, tools=False, schema=None, max_tokens=None, thinks=False):
        items = [item for message in messages for item in (message if isinstance(message, list) else [message])]
        asked = {"model": task["model"], "input": items, "store": False}
        if tools:
            asked["tools"] = [{"type": "function", "strict": False, **task["tool"]}]
        if schema is not None:
            asked["text"] = {"format": {"type": "json_schema", "name": "answer", "strict": True, "schema": schema}}
        if max_tokens is not None:
            asked["max_output_tokens"] = max_tokens
        if thinks:
            asked["reasoning"] = {"effort": "medium", "summary": "auto"}
            asked["include"] = ["reasoning.encrypted_content"]
        responses = client_of(task).responses
        if task["stream"]:
            with responses.stream(**asked) as stream:
                # The client's own get_final_response() knows no response that was cut off.
                *_, last = stream
                response = last.response
        else:
            response = responses.create(**asked)
        items = [item.model_dump(exclude_none=True) for item in response.output]
        for item in items:
            item.pop("parsed_arguments", None)
            for part in item.get("content") or []:
                part.pop("parsed", None)
        reasoning = "".join(
            part.text for item in response.output if item.type == "reasoning" for part in item.content or item.summary
        )
        calls = [
            {"id": item.call_id, "name": item.name, "args": json.loads(item.arguments)}
            for item in response.output
            if item.type == "function_call"
        ]
        reason = response.incomplete_details.reason if response.incomplete_details else None
        return Answer(items, response.output_text, reasoning, calls, reason == "max_output_tokens")


serve(Chat() if sys.argv[1] == "chat" else Responses())
