"""The official Python SDK 2.x as a bare client."""

import os

import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from python_scenario import create_arguments, fill, play, scenario


def connect():
    server = os.environ.get("DUET_URL") or StdioServerParameters(command=os.environ["DUET_NODE"], args=create_arguments())
    callbacks = {"elicitation_callback": accept} if scenario == "confirmation" else {}
    return Client(server, mode=os.environ.get("SDK_MODE", "auto"), **callbacks)


async def accept(_, request):
    schema = request.requested_schema
    fields = schema if isinstance(schema, dict) else schema.model_dump(by_alias=True, exclude_none=True)
    return types.ElicitResult(action="accept", content=fill(fields))


play(connect, lambda result: result.structured_content)
