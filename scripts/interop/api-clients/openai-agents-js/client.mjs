import { Agent, run, setOpenAIAPI, setTracingDisabled, tool } from "@openai/agents";
import * as z from "zod";
import { collect, model, picture, play, question, weather } from "./api-scenario.mjs";

setTracingDisabled(true);
setOpenAIAPI(process.argv.at(-2));

const plain = new Agent({ name: "Plain", model, instructions: "Be brief." });

/** The first agent hands the question to the one that has the tool. */
function createTriage() {
  const execute = weather.run;
  const lookup = tool({
    name: weather.name,
    description: weather.description,
    parameters: z.object({ city: z.string() }),
    execute,
  });
  const expert = new Agent({ name: "Weather expert", model, instructions: "You know the weather.", tools: [lookup] });
  return Agent.create({ name: "Triage", model, instructions: "Hand over.", handoffs: [expert] });
}

async function streamPieces(signal) {
  const stream = await run(plain, question, { stream: true, signal });
  const collected = await collect(stream.toTextStream());
  await stream.completed;
  return collected;
}

await play({
  plain: async () => ({ text: (await run(plain, question)).finalOutput }),
  stream: streamPieces,
  cancel: streamPieces,
  async tools() {
    const { finalOutput, lastAgent } = await run(createTriage(), question);
    return {
      text: finalOutput,
      ...(lastAgent.name !== "Weather expert" && { error: `answered by ${lastAgent.name}` }),
    };
  },
  async images() {
    const content = [
      { type: "input_text", text: question },
      { type: "input_image", image: `data:image/png;base64,${picture}` },
    ];
    return { text: (await run(plain, [{ role: "user", content }])).finalOutput };
  },
  async schema() {
    const outputType = z.object({ city: z.string(), degrees: z.number() });
    return { object: (await run(new Agent({ name: "Reporter", model, outputType }), question)).finalOutput };
  },
});
