"""LangChain with its packages for OpenAI (Chat Completions, Responses) and Anthropic."""

import sys

from cell import Answer, serve, weather
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

weather_tool = tool(weather)


def model_of(task, max_tokens=None, thinks=False):
    if sys.argv[1] == "messages":
        thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}} if thinks else {}
        return ChatAnthropic(
            model=task["model"],
            base_url=task["origin"],
            api_key="none",
            max_retries=0,
            max_tokens=max_tokens or 2000,
            streaming=task["stream"],
            **thinking,
        )
    responses = sys.argv[1] == "responses"
    reasoning = {"reasoning": {"effort": "medium", "summary": "auto"}} if responses else {"reasoning_effort": "medium"}
    return ChatOpenAI(
        model=task["model"],
        base_url=task["url"],
        api_key="none",
        max_retries=0,
        max_completion_tokens=max_tokens,
        streaming=task["stream"],
        stream_usage=True,
        use_responses_api=responses,
        **({"store": False} if responses else {}),
        **(reasoning if thinks else {}),
    )


def reasoning_of(message):
    return "".join(block.get("reasoning", "") for block in message.content_blocks if block["type"] == "reasoning")


class LangChain:
    def system(self, text):
        return SystemMessage(text)

    def user(self, text):
        return HumanMessage(text)

    def said(self, text):
        return AIMessage(text)

    def call(self, text, id, name, args):
        return AIMessage(text, tool_calls=[{"id": id, "name": name, "args": args}])

    def result(self, id, name, text):
        return ToolMessage(text, tool_call_id=id, name=name)

    def ask(self, task, messages, tools=False, schema=None, max_tokens=None, thinks=False):
        model = model_of(task, max_tokens)
        if schema is not None:
            answers = {"title": "Answer", "description": "The answer.", **schema}
            return Answer([], value=model.with_structured_output(answers, method="json_schema").invoke(messages))
        if tools:
            model = model.bind_tools([weather_tool])
        message = model.invoke(messages)
        data = message.response_metadata
        incomplete = data.get("incomplete_details") or {}
        reasons = (data.get("finish_reason"), data.get("stop_reason"), incomplete.get("reason"))
        cut = any(reason in ("length", "max_tokens", "max_output_tokens") for reason in reasons)
        return Answer([message], message.text, cut=cut)

    def agent(self, task, messages, thinks):
        model = model_of(task, thinks=thinks)
        state = {"messages": messages[1:]}
        agent = create_agent(model, [weather_tool], system_prompt=messages[0].content)
        if task["stream"]:
            *_, ended = agent.stream(state, stream_mode="values")
        else:
            ended = agent.invoke(state)
        said = [message for message in ended["messages"] if isinstance(message, AIMessage)]
        calls = [{"name": call["name"], "args": call["args"]} for message in said for call in message.tool_calls]
        return said[-1].text, calls, "".join(reasoning_of(message) for message in said)


serve(LangChain())
