import promptfoo from "promptfoo";
import { model, picture, play, question, report } from "./api-scenario.mjs";

async function evaluate(prompt, config = {}) {
  const provider = {
    id: `openai:responses:${model}`,
    config: {
      apiBaseUrl: process.env.OPENAI_BASE_URL,
      apiKey: "none",
      passthrough: { reasoning: { summary: "none" } },
      ...config,
    },
  };
  const evaluation = await promptfoo.evaluate(
    { providers: [provider], prompts: [prompt], tests: [{ vars: {} }], writeLatestResults: false },
    { cache: false, maxConcurrency: 1 },
  );
  const [{ response, error }] = evaluation.results;
  if (error) throw new Error(error);
  return response.output;
}

const asText = (output) => ({ text: typeof output === "string" ? output : JSON.stringify(output) });

await play({
  plain: async () => asText(await evaluate(question)),
  async images() {
    const content = [
      { type: "input_text", text: question },
      { type: "input_image", image_url: `data:image/png;base64,${picture}` },
    ];
    return asText(await evaluate(JSON.stringify([{ role: "user", content }])));
  },
  async schema() {
    const response_format = { type: "json_schema", json_schema: { name: "report", schema: report, strict: true } };
    const output = await evaluate(question, { response_format });
    return typeof output === "string" ? { text: output } : { object: output };
  },
});
