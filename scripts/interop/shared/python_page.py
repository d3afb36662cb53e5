"""Runs the code of a page (page.py) through a scenario, unchanged. It is loaded as `__main__`, except to cancel it."""

import asyncio
import json
import os
import pathlib
import re
import runpy
import sys
import urllib.request

scenario = sys.argv[1]
line = {"scenario": scenario}

if url := os.environ.get("DUET_URL"):  # The port of the page is an example, and an earlier scenario had another one.
    page = pathlib.Path("page.py")
    page.write_text(re.sub(r"http://127\.0\.0\.1:\d+/mcp", url, page.read_text()))


def wait_for(name: str) -> None:
    urllib.request.urlopen(os.environ[name]).read()


async def cancel() -> None:
    task = asyncio.create_task(runpy.run_path("page.py", run_name="page")["main"]())
    await asyncio.to_thread(wait_for, "INTEROP_STARTED")
    task.cancel()
    ended = asyncio.create_task(asyncio.to_thread(wait_for, "INTEROP_ENDED"))
    await asyncio.gather(task, return_exceptions=True)
    await ended


try:
    if scenario == "cancel":
        asyncio.run(cancel())
    else:
        runpy.run_path("page.py", run_name="__main__")
except BaseException as error:  # A framework ends in many ways, and each is a result.
    parts = [error]
    for part in parts:
        parts += getattr(part, "exceptions", ())
    line["error"] = " | ".join(f"{type(part).__name__}: {part}" for part in parts)[:600]
print(f"\n{json.dumps(line)}", flush=True)  # Some frameworks leave their last line open.
