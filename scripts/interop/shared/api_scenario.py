"""What the clients of the model APIs in Python share: one scenario, played by the function of its name."""

import asyncio
import base64
import gc
import inspect
import json
import os
import pathlib
import sys
import urllib.request

scenario = sys.argv[-1]
row = sys.argv[-2]
model = os.environ["DUET_MODEL"]
question = os.environ["DUET_QUESTION"]
picture = base64.b64encode(pathlib.Path(os.environ["DUET_PICTURE"]).read_bytes()).decode()
picture_url = f"data:image/png;base64,{picture}"

weather_schema = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
report_schema = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "degrees": {"type": "number"}},
    "required": ["city", "degrees"],
    "additionalProperties": False,
}


def get_weather(city: str) -> str:
    """Returns the weather of a city"""
    return f"18 degrees, {os.environ['DUET_SECRET']}" if city == "Paris" else f"no such city: {city}"


def join(pieces) -> dict:
    texts = [piece for piece in pieces if piece]
    return {"text": "".join(texts), "pieces": len(texts)}


async def join_async(pieces) -> dict:
    return join([piece async for piece in pieces])


def wait_for(name: str) -> None:
    urllib.request.urlopen(os.environ[name]).read()


async def cancel(run) -> dict:
    """Cancels the coroutine once the model has begun to answer."""
    task = asyncio.create_task(run())
    await asyncio.to_thread(wait_for, "INTEROP_STARTED")
    task.cancel()
    await asyncio.wait([task])
    del task
    gc.collect()  # Some frameworks close their connection when nothing refers to the stream any more.
    await asyncio.to_thread(wait_for, "INTEROP_ENDED")
    return {}


async def resolve(value):
    return await value if inspect.isawaitable(value) else value


def play(plays: dict) -> None:
    """Prints the line of the scenario. `stream` has to be a coroutine, which `cancel` cancels."""
    line = {"scenario": scenario}
    try:
        if scenario == "cancel":
            line |= asyncio.run(cancel(plays["stream"]))
        else:
            name = "plain" if scenario == "errors" else scenario
            line |= asyncio.run(resolve_later(plays[name]))
    except BaseException as error:
        line["failed" if scenario == "errors" else "error"] = f"{type(error).__name__}: {error}"[:600]
    print(f"\n{json.dumps(line)}", flush=True)
    os._exit(0)


async def resolve_later(run):
    return await resolve(run())
