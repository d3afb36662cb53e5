"""The official Python SDK 1.x as a bare client."""

import os
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from python_scenario import create_arguments, fill, play, scenario

can_elicit = hasattr(types, "ElicitResult")


@asynccontextmanager
async def connect():
    if url := os.environ.get("DUET_URL"):
        streams = streamablehttp_client(url)
    else:
        streams = stdio_client(StdioServerParameters(command=os.environ["DUET_NODE"], args=create_arguments()))
    callbacks = {"elicitation_callback": accept} if can_elicit and scenario == "confirmation" else {}
    async with streams as (read, write, *_), ClientSession(read, write, **callbacks) as session:
        await session.initialize()
        yield session


async def accept(_, request):
    return types.ElicitResult(action="accept", content=fill(request.requestedSchema))


play(connect, lambda result: getattr(result, "structuredContent", None))
