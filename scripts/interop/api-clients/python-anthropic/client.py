from anthropic import AsyncAnthropic
from api_scenario import get_weather, join_async, model, picture, play, question, report_schema, weather_schema

client = AsyncAnthropic()
asked = {"role": "user", "content": question}


async def ask(*messages, **more):
    return await client.messages.create(model=model, max_tokens=1000, messages=messages, **more)


def text_of(message):
    return {"text": "".join(block.text for block in message.content if block.type == "text")}


async def plain():
    return text_of(await ask(asked))


async def stream():
    async with client.messages.stream(model=model, max_tokens=1000, messages=[asked]) as texts:
        return await join_async(texts.text_stream)


async def tools():
    tool = {"name": "get_weather", "description": get_weather.__doc__, "input_schema": weather_schema}
    first = await ask(asked, tools=[tool])
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": get_weather(**block.input)}
        for block in first.content
        if block.type == "tool_use"
    ]
    said = {"role": "assistant", "content": first.content}
    return text_of(await ask(asked, said, {"role": "user", "content": results}, tools=[tool]))


async def images():
    source = {"type": "base64", "media_type": "image/png", "data": picture}
    blocks = [{"type": "image", "source": source}, {"type": "text", "text": question}]
    return text_of(await ask({"role": "user", "content": blocks}))


async def schema():
    return text_of(await ask(asked, output_config={"format": {"type": "json_schema", "schema": report_schema}}))


play({"plain": plain, "stream": stream, "tools": tools, "images": images, "schema": schema})
