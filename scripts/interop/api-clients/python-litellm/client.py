import json

import litellm
from api_scenario import (
    get_weather,
    join_async,
    model as name,
    picture,
    picture_url,
    play,
    question,
    report_schema,
    row,
    weather_schema,
)

model = f"openai/{name}"
declared = {"name": "get_weather", "description": get_weather.__doc__, "parameters": weather_schema}
asked = [{"role": "user", "content": question}]
report = {"name": "report", "schema": report_schema, "strict": True}


async def complete(messages, **more):
    return (await litellm.acompletion(model=model, messages=messages, **more)).choices[0].message


async def completion_plain():
    return {"text": (await complete(asked)).content}


async def completion_stream():
    stream = await litellm.acompletion(model=model, messages=asked, stream=True)
    return await join_async(chunk.choices[0].delta.content async for chunk in stream if chunk.choices)


async def completion_tools():
    tools = [{"type": "function", "function": declared}]
    message = await complete(asked, tools=tools)
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": get_weather(**json.loads(call.function.arguments))}
        for call in message.tool_calls
    ]
    return {"text": (await complete([*asked, message, *results], tools=tools)).content}


async def completion_images():
    parts = [{"type": "text", "text": question}, {"type": "image_url", "image_url": {"url": picture_url}}]
    return {"text": (await complete([{"role": "user", "content": parts}])).content}


async def completion_schema():
    message = await complete(asked, response_format={"type": "json_schema", "json_schema": report})
    return {"text": message.content}


def output_of(response):
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    return {"text": "".join(part.text for part in parts)}


async def respond(given, **more):
    return await litellm.aresponses(model=model, input=given, **more)


async def responses_plain():
    return output_of(await respond(question))


async def responses_stream():
    stream = await respond(question, stream=True)
    return await join_async(event.delta async for event in stream if event.type == "response.output_text.delta")


async def responses_tools():
    tools = [{"type": "function", "strict": True, **declared}]
    first = await respond(question, tools=tools)
    outputs = [
        {"type": "function_call_output", "call_id": item.call_id, "output": get_weather(**json.loads(item.arguments))}
        for item in first.output
        if item.type == "function_call"
    ]
    return output_of(await respond(outputs, tools=tools, previous_response_id=first.id))


async def responses_images():
    parts = [{"type": "input_text", "text": question}, {"type": "input_image", "image_url": picture_url}]
    return output_of(await respond([{"role": "user", "content": parts}]))


async def responses_schema():
    return output_of(await respond(question, text={"format": {"type": "json_schema", **report}}))


async def message(messages, **more):
    return await litellm.anthropic_messages(model=model, max_tokens=1000, messages=messages, **more)


def text_of(answer):
    return {"text": "".join(block["text"] for block in answer["content"] if block["type"] == "text")}


async def messages_plain():
    return text_of(await message(asked))


async def texts_of(stream):
    """Yields the text of a stream, whose pieces are the events as objects or as the bytes that go to the client."""
    async for piece in stream:
        lines = piece.decode().splitlines() if isinstance(piece, bytes) else [f"data: {json.dumps(piece)}"]
        for event in (json.loads(line[5:]) for line in lines if line.startswith("data:")):
            yield event.get("delta", {}).get("text")


async def messages_stream():
    return await join_async(texts_of(await message(asked, stream=True)))


async def messages_tools():
    tools = [{"name": declared["name"], "description": declared["description"], "input_schema": weather_schema}]
    first = await message(asked, tools=tools)
    results = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": get_weather(**block["input"])}
        for block in first["content"]
        if block["type"] == "tool_use"
    ]
    said = {"role": "assistant", "content": first["content"]}
    return text_of(await message([*asked, said, {"role": "user", "content": results}], tools=tools))


async def messages_images():
    source = {"type": "base64", "media_type": "image/png", "data": picture}
    return text_of(await message([{"role": "user", "content": [{"type": "image", "source": source}, {"type": "text", "text": question}]}]))


async def messages_schema():
    return text_of(await message(asked, output_format={"type": "json_schema", "schema": report_schema}))


names = ["plain", "stream", "tools", "images", "schema"]
play({each: globals()[f"{row}_{each}"] for each in names})
