from agents import Agent, Runner, function_tool, set_default_openai_api, set_tracing_disabled
from api_scenario import get_weather, join_async, model, picture_url, play, question, row
from pydantic import BaseModel

set_tracing_disabled(True)
set_default_openai_api(row)


class Report(BaseModel):
    city: str
    degrees: float


simple = Agent(name="Plain", model=model, instructions="Be brief.")
expert = Agent(name="Weather expert", model=model, instructions="You know the weather.", tools=[function_tool(get_weather)])
triage = Agent(name="Triage", model=model, instructions="Hand over.", handoffs=[expert])


async def plain():
    return {"text": (await Runner.run(simple, question)).final_output}


async def stream():
    events = Runner.run_streamed(simple, question).stream_events()
    raw = (event.data async for event in events if event.type == "raw_response_event")
    return await join_async(data.delta async for data in raw if data.type == "response.output_text.delta")


async def tools():
    result = await Runner.run(triage, question)
    error = {} if result.last_agent is expert else {"error": f"answered by {result.last_agent.name}"}
    return {"text": result.final_output, **error}


async def images():
    parts = [
        {"type": "input_text", "text": question},
        {"type": "input_image", "image_url": picture_url, "detail": "auto"},
    ]
    return {"text": (await Runner.run(simple, [{"role": "user", "content": parts}])).final_output}


async def schema():
    result = await Runner.run(Agent(name="Reporter", model=model, output_type=Report), question)
    return {"object": result.final_output.model_dump()}


play({"plain": plain, "stream": stream, "tools": tools, "images": images, "schema": schema})
