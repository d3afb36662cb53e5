"""What the bare clients of the official Python SDKs share: a scenario, played with a client that lists and calls tools."""

import asyncio
import json
import os
import re
import sys
import urllib.request

scenario = sys.argv[1]
line = {"scenario": scenario}
question = {"question": os.environ["DUET_QUESTION"]}


def create_arguments():
    """Returns the arguments that start Duet over stdio."""
    return [os.environ["DUET_PROGRAM"], "serve", "--config", os.environ["DUET_CONFIG"]]


def fill(schema):
    line["elicited"] = True
    return {name: choose(field) for name, field in schema.get("properties", {}).items()}


def choose(field):
    choices = field.get("enum") or [choice["const"] for choice in field.get("oneOf", [])]
    return choices[0] if choices else True if field.get("type") == "boolean" else "yes"


async def call(client, name, arguments):
    given = {"progress_callback": count} if scenario == "progress" else {}
    return await client.call_tool(name, arguments, **given)


async def count(*_):
    line["progress"] = line.get("progress", 0) + 1


async def ask(client, read_structured):
    """Follows what the texts say, as a model would, and asks again when a call fails."""
    name, arguments, text = "agent_ask", question, ""
    for _ in range(4 if scenario == "slow" else 1):
        try:
            while name:
                result = await call(client, name, arguments)
                text = "".join(block.text for block in result.content if block.type == "text")
                line["structured"] = read_structured(result)
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


async def play_scenario(connect, read_structured):
    async with connect() as client:
        if scenario == "lists":
            line["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        elif scenario == "cancel":
            await cancel(client)
        else:
            await ask(client, read_structured)


def play(connect, read_structured):
    """Prints the line of the scenario. `connect` gives a client, and `read_structured` the object of a result, if it has one."""
    try:
        asyncio.run(play_scenario(connect, read_structured))
    except BaseException as error:
        line["error"] = repr(error)[:300]
    print(json.dumps({key: value for key, value in line.items() if value is not None}), flush=True)
