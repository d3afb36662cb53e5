"""The official Python SDK 2.x as a bare client."""

import asyncio
import json
import os
import re
import sys
import urllib.request

import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

scenario = sys.argv[1]
line = {"scenario": scenario}
question = {"question": os.environ["DUET_QUESTION"]}


def connect():
    server = os.environ.get("DUET_URL") or StdioServerParameters(
        command=os.environ["DUET_NODE"],
        args=[os.environ["DUET_PROGRAM"], "serve", "--config", os.environ["DUET_CONFIG"]],
    )
    callbacks = {"elicitation_callback": accept} if scenario == "confirmation" else {}
    return Client(server, mode=os.environ.get("SDK_MODE", "auto"), **callbacks)


async def accept(_, request):
    line["elicited"] = True
    schema = request.requested_schema
    fields = schema if isinstance(schema, dict) else schema.model_dump(by_alias=True, exclude_none=True)
    content = {name: choose(field) for name, field in fields.get("properties", {}).items()}
    return types.ElicitResult(action="accept", content=content)


def choose(field):
    choices = field.get("enum") or [choice["const"] for choice in field.get("oneOf", [])]
    return choices[0] if choices else True if field.get("type") == "boolean" else "yes"


async def call(client, name, arguments):
    given = {"progress_callback": count} if scenario == "progress" else {}
    return await client.call_tool(name, arguments, **given)


async def count(*_):
    line["progress"] = line.get("progress", 0) + 1


async def ask(client):
    """Follows what the texts say, as a model would, and asks again when a call fails."""
    name, arguments, text = "agent_ask", question, ""
    for _ in range(4 if scenario == "slow" else 1):
        try:
            while name:
                result = await call(client, name, arguments)
                text = "".join(block.text for block in result.content if block.type == "text")
                line["structured"] = result.structured_content
                found = re.search(r"(agent_ask|agent_result) (\{[^{}]*\})", text)
                name, arguments = (found[1], json.loads(found[2])) if found else (None, None)
            line.pop("error", None)
            break
        except Exception as error:
            line["error"] = f"{type(error).__name__}: {error}"[:300]
            name, arguments = "agent_ask", question
    line["text"] = text


async def cancel(client):
    task = asyncio.create_task(call(client, "agent_ask", question))
    await asyncio.to_thread(wait_for, "INTEROP_STARTED")
    task.cancel()
    await asyncio.to_thread(wait_for, "INTEROP_ENDED")


def wait_for(name):
    urllib.request.urlopen(os.environ[name]).read()


async def main():
    async with connect() as client:
        if scenario == "lists":
            line["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        elif scenario == "cancel":
            await cancel(client)
        else:
            await ask(client)


try:
    asyncio.run(main())
except BaseException as error:
    line["error"] = repr(error)[:300]
print(json.dumps(line), flush=True)
