"""Makes the calls of scripts/progress-arrival.mjs with the official Python client."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters

task = json.loads(sys.argv[1])
delays_ms = [0, 1, 4]
found = {"calls": 0, "heard": 0, "late": 0, "errors": 0}


def to_call(index):
    delay_ms = delays_ms[index % len(delays_ms)]
    if index % 2 == 0:
        return "agent_ask", {"question": f"question {index}: {delay_ms} ms"}
    return "below__late", {"delayMs": delay_ms}


async def main():
    command, *args = task["command"]
    server = task.get("url") or StdioServerParameters(command=command, args=args, env=task["env"])
    mode = task["era"] if task["era"] == "2026-07-28" else "legacy"
    remaining = iter(range(task["calls"]))
    async with Client(server, mode=mode) as client:

        async def call_on_and_on():
            for index in remaining:
                over = False

                async def on_progress(progress, total, message):
                    found["heard"] += 1
                    found["late"] += over

                name, arguments = to_call(index)
                await client.call_tool(name, arguments, progress_callback=on_progress)
                over = True
                found["calls"] += 1

        await asyncio.gather(*(call_on_and_on() for _ in range(task["atOnce"])))
        await asyncio.sleep(0.2)


asyncio.run(main())
print(json.dumps(found))
