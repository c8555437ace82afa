"""smolagents: its model for servers like those of OpenAI."""

import json

from cell import Answer, response_format, serve
from smolagents import OpenAIModel, tool
from smolagents.models import ChatMessage, agglomerate_stream_deltas


@tool
def weather(city: str, days: int) -> str:
    """The weather in a city.

    Args:
        city: The city.
        days: The number of days.
    """
    return f"3 degrees in {city}"


class Smolagents:
    def system(self, text):
        return {"role": "system", "content": [{"type": "text", "text": text}]}

    def user(self, text):
        return {"role": "user", "content": [{"type": "text", "text": text}]}

    def said(self, text):
        return {"role": "assistant", "content": [{"type": "text", "text": text}]}

    def call(self, text, id, name, args):
        calls = [{"id": id, "type": "function", "function": {"name": name, "arguments": args}}]
        return {"role": "tool-call", "content": [{"type": "text", "text": f"{text}\nCalling tools:\n{calls}"}]}

    def result(self, id, name, text):
        return {"role": "tool-response", "content": [{"type": "text", "text": f"Observation:\n{text}"}]}

    def ask(self, task, messages, tools=False, schema=None, max_tokens=None, thinks=False):
        model = OpenAIModel(task["model"], api_base=task["url"], api_key="none", client_kwargs={"max_retries": 0})
        asked = {}
        if tools:
            asked.update(tools_to_call_from=[weather], tool_choice="auto")
        if schema is not None:
            asked["response_format"] = response_format(schema)
        if max_tokens is not None:
            asked["max_tokens"] = max_tokens
        if thinks:
            asked["reasoning_effort"] = "medium"
        messages = [ChatMessage.from_dict(message) for message in messages]
        if task["stream"]:
            message = agglomerate_stream_deltas(list(model.generate_stream(messages, **asked)))
        else:
            message = model.generate(messages, **asked)
        calls = []
        for call in message.tool_calls or []:
            args = call.function.arguments
            args = json.loads(args) if isinstance(args, str) else args
            calls.append({"id": call.id, "name": call.function.name, "args": args})
        text = message.content or ""
        sent = [self.call(text, c["id"], c["name"], c["args"]) for c in calls] or [self.said(text)]
        raw = message.raw
        cut = None if raw is None else raw.choices[0].finish_reason == "length"
        return Answer(sent, text, "", calls, cut)


serve(Smolagents())
