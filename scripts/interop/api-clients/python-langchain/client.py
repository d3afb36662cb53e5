from api_scenario import get_weather, join_async, model, picture_url, play, question, report_schema, row
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

llm = ChatOpenAI(model=model, use_responses_api=row == "responses")


async def plain():
    return {"text": (await llm.ainvoke(question)).text}


async def stream():
    return await join_async(chunk.text async for chunk in llm.astream(question))


async def tools():
    state = await create_agent(llm, [get_weather]).ainvoke({"messages": [{"role": "user", "content": question}]})
    return {"text": state["messages"][-1].text}


async def images():
    parts = [{"type": "text", "text": question}, {"type": "image_url", "image_url": {"url": picture_url}}]
    return {"text": (await llm.ainvoke([{"role": "user", "content": parts}])).text}


async def schema():
    structured = llm.with_structured_output({**report_schema, "title": "report"}, method="json_schema")
    return {"object": await structured.ainvoke(question)}


play({"plain": plain, "stream": stream, "tools": tools, "images": images, "schema": schema})
