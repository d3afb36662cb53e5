"""The official Python SDK 1.x as a bare client."""

import asyncio
import json
import os
import re
import sys
import urllib.request
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

scenario = sys.argv[1]
line = {"scenario": scenario}
question = {"question": os.environ["DUET_QUESTION"]}
can_elicit = hasattr(types, "ElicitResult")


@asynccontextmanager
async def connect():
    if url := os.environ.get("DUET_URL"):
        streams = streamablehttp_client(url)
    else:
        arguments = [os.environ["DUET_PROGRAM"], "serve", "--config", os.environ["DUET_CONFIG"]]
        streams = stdio_client(StdioServerParameters(command=os.environ["DUET_NODE"], args=arguments))
    callbacks = {"elicitation_callback": accept} if can_elicit and scenario == "confirmation" else {}
    async with streams as (read, write, *_), ClientSession(read, write, **callbacks) as session:
        await session.initialize()
        yield session


async def accept(_, request):
    line["elicited"] = True
    return types.ElicitResult(action="accept", content=fill(request.requestedSchema))


def fill(schema):
    return {name: choose(field) for name, field in schema.get("properties", {}).items()}


def choose(field):
    choices = field.get("enum") or [choice["const"] for choice in field.get("oneOf", [])]
    return choices[0] if choices else True if field.get("type") == "boolean" else "yes"


async def call(session, name, arguments):
    given = {"progress_callback": count} if scenario == "progress" else {}
    return await session.call_tool(name, arguments, **given)


async def count(*_):
    line["progress"] = line.get("progress", 0) + 1


async def ask(session):
    """Follows what the texts say, as a model would, and asks again when a call fails."""
    name, arguments, text = "agent_ask", question, ""
    for _ in range(4 if scenario == "slow" else 1):
        try:
            while name:
                result = await call(session, name, arguments)
                text = "".join(block.text for block in result.content if block.type == "text")
                if getattr(result, "structuredContent", None) is not None:
                    line["structured"] = result.structuredContent
                found = re.search(r"(agent_ask|agent_result) (\{[^{}]*\})", text)
                name, arguments = (found[1], json.loads(found[2])) if found else (None, None)
            line.pop("error", None)
            break
        except Exception as error:
            line["error"] = f"{type(error).__name__}: {error}"[:300]
            name, arguments = "agent_ask", question
    line["text"] = text


async def cancel(session):
    task = asyncio.create_task(call(session, "agent_ask", question))
    await asyncio.to_thread(wait_for, "INTEROP_STARTED")
    task.cancel()
    await asyncio.to_thread(wait_for, "INTEROP_ENDED")


def wait_for(name):
    urllib.request.urlopen(os.environ[name]).read()


async def main():
    async with connect() as session:
        if scenario == "lists":
            line["tools"] = [tool.name for tool in (await session.list_tools()).tools]
        elif scenario == "cancel":
            await cancel(session)
        else:
            await ask(session)


try:
    asyncio.run(main())
except BaseException as error:
    line["error"] = repr(error)[:300]
print(json.dumps(line), flush=True)
