"""llama-index with its models for servers like those of OpenAI."""

import asyncio
import json

from cell import Answer, response_format, serve, weather
from llama_index.core.agent.workflow import FunctionAgent, ToolCall
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
weather_tool = FunctionTool.from_defaults(weather)


def model_of(task, max_tokens=None, more=None):
    return OpenAILike(
        model=task["model"],
        api_base=task["url"],
        api_key="none",
        max_retries=0,
        is_chat_model=True,
        is_function_calling_model=True,
        context_window=8192,
        max_tokens=max_tokens,
        additional_kwargs=more or {},
    )


class LlamaIndex:
    def system(self, text):
        return ChatMessage(role="system", content=text)

    def user(self, text):
        return ChatMessage(role="user", content=text)

    def said(self, text):
        return ChatMessage(role="assistant", content=text)

    def call(self, text, id, name, args):
        function = {"name": name, "arguments": json.dumps(args)}
        calls = [{"id": id, "type": "function", "function": function}]
        return ChatMessage(role="assistant", content=text, additional_kwargs={"tool_calls": calls})

    def result(self, id, name, text):
        return ChatMessage(role="tool", content=text, additional_kwargs={"tool_call_id": id, "name": name})

    def ask(self, task, messages, tools=False, schema=None, max_tokens=None, thinks=False):
        more = {}
        if schema is not None:
            more["response_format"] = response_format(schema)
        model = model_of(task, max_tokens, more)
        if tools:
            response = model.chat_with_tools([weather_tool], chat_history=messages)
        elif task["stream"]:
            *_, response = model.stream_chat(messages)
        else:
            response = model.chat(messages)
        choices = getattr(response.raw, "choices", None)
        reason = choices[0].finish_reason if choices else None
        cut = None if reason is None else reason == "length"
        return Answer([response.message], response.message.content or "", cut=cut)

    def agent(self, task, messages, thinks):
        model = model_of(task, more={"reasoning_effort": "medium"} if thinks else {})
        system, asked = (message.content for message in messages)
        agent = FunctionAgent(tools=[weather_tool], llm=model, system_prompt=system, streaming=task["stream"])

        async def run():
            handler = agent.run(asked)
            calls = []
            async for event in handler.stream_events():
                if type(event) is ToolCall:
                    calls.append({"name": event.tool_name, "args": event.tool_kwargs})
            return str(await handler), calls

        text, calls = loop.run_until_complete(run())
        return text, calls, ""


serve(LlamaIndex())
