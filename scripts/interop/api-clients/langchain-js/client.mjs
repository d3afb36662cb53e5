import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import * as z from "zod";
import { collect, model, picture, play, question, report, weather } from "./api-scenario.mjs";

const llm = new ChatOpenAI({ model, useResponsesApi: process.argv.at(-2) === "responses" });

async function* textsOf(stream) {
  for await (const { text } of stream) yield text;
}

const streamPieces = async (signal) => collect(textsOf(await llm.stream(question, { signal })));

await play({
  plain: async () => ({ text: (await llm.invoke(question)).text }),
  stream: streamPieces,
  cancel: streamPieces,
  async tools() {
    const lookup = tool(weather.run, {
      name: weather.name,
      description: weather.description,
      schema: z.object({ city: z.string() }),
    });
    const { messages } = await createReactAgent({ llm, tools: [lookup] }).invoke({
      messages: [{ role: "user", content: question }],
    });
    return { text: messages.at(-1).text };
  },
  async images() {
    const content = [
      { type: "text", text: question },
      { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } },
    ];
    return { text: (await llm.invoke([{ role: "user", content }])).text };
  },
  schema: async () => ({
    object: await llm.withStructuredOutput({ ...report, title: "report" }, { method: "jsonSchema" }).invoke(question),
  }),
});
