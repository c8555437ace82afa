"""anthropic: Messages."""

from anthropic import Anthropic
from cell import Answer, TextMessages, serve


class Messages(TextMessages):
    def call(self, text, id, name, args):
        use = {"type": "tool_use", "id": id, "name": name, "input": args}
        return {"role": "assistant", "content": [{"type": "text", "text": text}, use]}

    def result(self, id, name, text):
        return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}

    def ask(self, task, messages, tools=False, schema=None, max_tokens=None, thinks=False):
        system = "".join(message["content"] for message in messages if message["role"] == "system")
        asked = {
            "model": task["model"],
            "messages": joined([message for message in messages if message["role"] != "system"]),
            "max_tokens": max_tokens or 2000,
        }
        if system:
            asked["system"] = system
        if tools:
            tool = task["tool"]
            asked["tools"] = [
                {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
            ]
        if schema is not None:
            asked["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        if thinks:
            asked["thinking"] = {"type": "enabled", "budget_tokens": 1024}
        client = Anthropic(base_url=task["origin"], api_key="none", max_retries=0)
        if task["stream"]:
            with client.messages.stream(**asked) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**asked)
        blocks = [block.model_dump(exclude_none=True) for block in message.content]
        for block in blocks:
            block.pop("parsed_output", None)
        calls = [{"id": b.id, "name": b.name, "args": b.input} for b in message.content if b.type == "tool_use"]
        text = "".join(b.text for b in message.content if b.type == "text")
        reasoning = "".join(b.thinking for b in message.content if b.type == "thinking")
        answer = [{"role": "assistant", "content": blocks}]
        return Answer(answer, text, reasoning, calls, message.stop_reason == "max_tokens")


def joined(messages):
    """Results of the calls of one message are one message."""
    whole = []
    for message in messages:
        previous = whole[-1] if whole else None
        both = previous is not None and all(isinstance(one["content"], list) for one in (previous, message))
        if both and previous["role"] == message["role"] == "user":
            whole[-1] = {"role": "user", "content": previous["content"] + message["content"]}
        else:
            whole.append(message)
    return whole


serve(Messages())
