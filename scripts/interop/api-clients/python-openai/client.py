import json

from api_scenario import get_weather, join_async, model, picture_url, play, question, report_schema, row, weather_schema
from openai import AsyncOpenAI

client = AsyncOpenAI()
declared = {"name": "get_weather", "description": get_weather.__doc__, "parameters": weather_schema}
asked = [{"role": "user", "content": question}]
report = {"name": "report", "schema": report_schema, "strict": True}


async def ask_chat(messages, **more):
    completion = await client.chat.completions.create(model=model, messages=messages, **more)
    return completion.choices[0].message


async def chat_plain():
    return {"text": (await ask_chat(asked)).content}


async def chat_stream():
    stream = await client.chat.completions.create(model=model, messages=asked, stream=True)
    return await join_async(chunk.choices[0].delta.content async for chunk in stream if chunk.choices)


async def chat_tools():
    tools = [{"type": "function", "function": declared}]
    message = await ask_chat(asked, tools=tools)
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": get_weather(**json.loads(call.function.arguments))}
        for call in message.tool_calls
    ]
    return {"text": (await ask_chat([*asked, message, *results], tools=tools)).content}


async def chat_images():
    parts = [{"type": "text", "text": question}, {"type": "image_url", "image_url": {"url": picture_url}}]
    return {"text": (await ask_chat([{"role": "user", "content": parts}])).content}


async def chat_schema():
    message = await ask_chat(asked, response_format={"type": "json_schema", "json_schema": report})
    return {"text": message.content}


async def responses_plain():
    return {"text": (await client.responses.create(model=model, input=question)).output_text}


async def responses_stream():
    stream = await client.responses.create(model=model, input=question, stream=True)
    return await join_async(event.delta async for event in stream if event.type == "response.output_text.delta")


async def responses_tools():
    tools = [{"type": "function", "strict": True, **declared}]
    first = await client.responses.create(model=model, input=question, tools=tools)
    outputs = [
        {"type": "function_call_output", "call_id": item.call_id, "output": get_weather(**json.loads(item.arguments))}
        for item in first.output
        if item.type == "function_call"
    ]
    # The history itself, as clients send it that keep nothing with the server.
    history = [*asked, *[item.model_dump(exclude_none=True) for item in first.output], *outputs]
    return {"text": (await client.responses.create(model=model, input=history, tools=tools, store=False)).output_text}


async def responses_images():
    parts = [{"type": "input_text", "text": question}, {"type": "input_image", "image_url": picture_url}]
    response = await client.responses.create(model=model, input=[{"role": "user", "content": parts}])
    return {"text": response.output_text}


async def responses_schema():
    response = await client.responses.create(model=model, input=question, text={"format": {"type": "json_schema", **report}})
    return {"text": response.output_text}


names = ["plain", "stream", "tools", "images", "schema"]
play({name: globals()[f"{row}_{name}"] for name in names})
