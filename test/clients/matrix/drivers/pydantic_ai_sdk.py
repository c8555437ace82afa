"""pydantic-ai: Chat Completions and Responses."""

import asyncio
import sys

from cell import Answer, serve, weather
from openai import AsyncOpenAI
from pydantic import BaseModel, ConfigDict, field_validator
from pydantic_ai import Agent, ModelRetry, NativeOutput, Tool
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

loop = asyncio.new_event_loop()


class Forecast(BaseModel):
    model_config = ConfigDict(extra="forbid")
    city: str
    days: int


class CheckedForecast(Forecast):
    @field_validator("days")
    @classmethod
    def later(cls, days):
        if days < 0:
            raise ValueError("A forecast is of later days.")
        return days


def checked_weather(city: str, days: int) -> str:
    """The weather in a city."""
    if any(letter.isdigit() for letter in city):
        raise ModelRetry("The name of a city has no number.")
    return weather(city, days)


def model_of(task):
    provider = OpenAIProvider(openai_client=AsyncOpenAI(base_url=task["url"], api_key="none", max_retries=0))
    return (OpenAIResponsesModel if sys.argv[1] == "responses" else OpenAIChatModel)(task["model"], provider=provider)


thinking = {
    "chat": {"openai_reasoning_effort": "medium"},
    "responses": {"openai_reasoning_effort": "medium", "openai_reasoning_summary": "auto"},
}


def calls_of(messages):
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolCallPart)]
    return [{"name": part.tool_name, "args": part.args_as_dict()} for part in parts]


class PydanticAI:
    def system(self, text):
        return ModelRequest([SystemPromptPart(text)])

    def user(self, text):
        return ModelRequest([UserPromptPart(text)])

    def said(self, text):
        return ModelResponse([TextPart(text)])

    def call(self, text, id, name, args):
        return ModelResponse([TextPart(text), ToolCallPart(name, args, tool_call_id=id)])

    def result(self, id, name, text):
        return ModelRequest([ToolReturnPart(name, text, tool_call_id=id)])

    def run(self, task, messages, tools=(), output=str, settings=None, retries=0):
        *past, asked = messages
        agent = Agent(model_of(task), tools=tools, output_type=output, model_settings=settings, retries=retries)
        prompt = asked.parts[0].content

        async def read(_, events):
            async for _ in events:
                pass

        # With a reader of events, the model's answers are streamed.
        reader = read if task["stream"] else None
        run = loop.run_until_complete(agent.run(prompt, message_history=past, event_stream_handler=reader))
        return run.output, run.all_messages()

    def ask(self, task, messages, tools=False, schema=None, max_tokens=None, thinks=False):
        settings = {"max_tokens": max_tokens} if max_tokens else {}
        output = NativeOutput(Forecast) if schema else str
        value, all_messages = self.run(task, messages, [weather] if tools else [], output, settings)
        if schema:
            return Answer([], value=value.model_dump())
        answer = all_messages[-1]
        reason = answer.finish_reason
        return Answer([answer], value, cut=None if reason is None else reason == "length")

    def agent(self, task, messages, thinks):
        settings = thinking[sys.argv[1]] if thinks else {}
        text, all_messages = self.run(task, messages, [weather], settings=settings)
        thoughts = [part for message in all_messages for part in message.parts if isinstance(part, ThinkingPart)]
        return text, calls_of(all_messages), "".join(part.content for part in thoughts)

    def retried(self, task):
        messages = [self.system("You know the weather."), self.user(task["prompt"])]
        text, all_messages = self.run(task, messages, [Tool(checked_weather, name="weather")], retries=1)
        return {"text": text, "calls": calls_of(all_messages)}

    def corrected(self, task):
        output = NativeOutput(CheckedForecast)
        value, _ = self.run(task, [self.user(task["prompt"])], output=output, retries=1)
        return {"value": value.model_dump()}


serve(PydanticAI())
