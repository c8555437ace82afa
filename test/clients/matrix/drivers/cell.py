"""Does the exercises of the matrix with one client: reads tasks, a line of JSON each, and writes the outcome of each.

A client is an object with
  system(text), user(text), said(text), call(text, id, name, args), result(id, name, text): its messages
  ask(task, messages, tools, schema, max_tokens, thinks): an Answer
and, if it runs tools itself,
  agent(task, messages, thinks): the text, the calls, and the reasoning
and, if it asks again by itself for what was wrong,
  retried(task), corrected(task): the outcome of these exercises.
"""

import json
import os
import sys
import traceback
from dataclasses import dataclass, field
from typing import Any

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # libraries print


@dataclass
class Answer:
    """The answer of a model; `messages`: the same in the form of the client, to be sent back."""

    messages: list
    text: str = ""
    reasoning: str = ""
    calls: list = field(default_factory=list)
    cut: bool | None = False  # None: the client does not tell
    value: Any = None


class TextMessages:
    """Messages with a text, in the form that most protocols share."""

    def system(self, text):
        return {"role": "system", "content": text}

    def user(self, text):
        return {"role": "user", "content": text}

    def said(self, text):
        return {"role": "assistant", "content": text}


class ChatMessages(TextMessages):
    """Messages of Chat Completions."""

    def call(self, text, id, name, args):
        function = {"name": name, "arguments": json.dumps(args)}
        return {**self.said(text), "tool_calls": [{"id": id, "type": "function", "function": function}]}

    def result(self, id, name, text):
        return {"role": "tool", "tool_call_id": id, "content": text}

    def calls(self, message):
        return [
            {"id": call.id, "name": call.function.name, "args": json.loads(call.function.arguments)}
            for call in message.tool_calls or []
        ]


def response_format(schema):
    """The member of Chat Completions that asks for an answer by a schema."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


schema = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city", "days"],
    "additionalProperties": False,
}


def weather(city: str, days: int) -> str:
    """The weather in a city."""
    return f"3 degrees in {city}"


def run_tools(client, task, messages, thinks):
    """The loop for a client that has no loop."""
    calls, reasoning = [], ""
    for _ in range(5):
        answer = client.ask(task, messages, tools=True, thinks=thinks)
        reasoning += answer.reasoning
        if not answer.calls:
            return answer.text, calls, reasoning
        messages = messages + answer.messages
        for call in answer.calls:
            calls.append({"name": call["name"], "args": call["args"]})
            messages = messages + [client.result(call["id"], call["name"], weather(**call["args"]))]
    raise RuntimeError("the model calls without end")


def with_tools(client, task, thinks=False):
    messages = [client.system("You know the weather."), client.user(task["prompt"])]
    run = getattr(client, "agent", None) or (lambda *args: run_tools(client, *args))
    text, calls, reasoning = run(task, messages, thinks)
    return {"text": text, "calls": calls, "reasoning": reasoning}


def first(client, task):
    return {"text": client.ask(task, [client.user(task["prompt"])]).text}


def typed(client, task):
    answer = client.ask(task, [client.user(task["prompt"])], schema=schema)
    return {"value": json.loads(answer.text) if answer.value is None else answer.value}


def cut(client, task):
    asked = [client.user(task["prompt"])]
    begun = client.ask(task, asked, max_tokens=task["maxTokens"])
    answer = client.ask(task, asked + begun.messages + [client.user(task["goOn"])])
    return {"text": answer.text, "cut": begun.cut, "begun": begun.text}


def compaction(client, task):
    past = [client.system("You know the weather.")]
    for message in task["history"]:
        past.append(getattr(client, message["role"])(**{k: v for k, v in message.items() if k != "role"}))
    summary = client.ask(task, past + [client.user("Sum up this conversation.")]).text
    messages = [
        client.system("You know the weather."),
        client.user(f"Of the conversation before: {summary}"),
        client.said("Understood."),
        client.user(task["goOn"]),
    ]
    answer = client.ask({**task, "model": task["next"]}, messages, tools=True)
    return {"text": answer.text, "summary": summary}


exercises = {
    "first": first,
    "tool": with_tools,
    "several": with_tools,
    "reasoning": lambda client, task: with_tools(client, task, thinks=True),
    "typed": typed,
    "cut": cut,
    "compaction": compaction,
    "retried": lambda client, task: client.retried(task),
    "corrected": lambda client, task: client.corrected(task),
}


def serve(client):
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        try:
            outcome = exercises[task["exercise"]](client, task)
        except Exception:
            outcome = {"error": traceback.format_exc()[-3000:]}
        print(json.dumps(outcome, default=str), file=answers, flush=True)
