import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import { collect, model as name, pictureBytes, play, question, report, weather } from "./api-scenario.mjs";

const baseURL = process.env.OPENAI_BASE_URL;
const models = {
  openai: () => createOpenAI({ baseURL, apiKey: "none" })(name),
  compatible: () => createOpenAICompatible({ name: "duet", baseURL, supportsStructuredOutputs: true })(name),
  anthropic: () => createAnthropic({ baseURL, apiKey: "none" })(name),
};
const model = models[process.argv.at(-2)]();

async function streamPieces(abortSignal) {
  let failure;
  const onError = ({ error }) => {
    failure = error;
  };
  const collected = await collect(streamText({ model, prompt: question, abortSignal, onError }).textStream);
  if (failure) throw failure;
  return collected;
}

await play({
  plain: async () => ({ text: (await generateText({ model, prompt: question })).text }),
  stream: streamPieces,
  cancel: streamPieces,
  async tools() {
    const { description, parameters, run } = weather;
    const tools = { [weather.name]: tool({ description, inputSchema: jsonSchema(parameters), execute: run }) };
    return { text: (await generateText({ model, prompt: question, tools, stopWhen: stepCountIs(5) })).text };
  },
  async images() {
    const content = [
      { type: "text", text: question },
      { type: "file", mediaType: "image/png", data: pictureBytes },
    ];
    return { text: (await generateText({ model, messages: [{ role: "user", content }] })).text };
  },
  schema: async () => ({
    object: (await generateText({ model, prompt: question, output: Output.object({ schema: jsonSchema(report) }) }))
      .output,
  }),
});
