import OpenAI from "openai";
import { collect, model, picture, play, question, report, weather } from "./api-scenario.mjs";

const client = new OpenAI();
const { run, ...declared } = weather;
const url = `data:image/png;base64,${picture}`;

async function* textsOf(stream) {
  for await (const { choices } of stream) yield choices[0]?.delta.content;
}

async function* deltasOf(stream) {
  for await (const { type, delta } of stream) if (type === "response.output_text.delta") yield delta;
}

const chat = {
  async ask(content, more = {}, signal) {
    const { choices } = await client.chat.completions.create(
      { model, messages: [{ role: "user", content }], ...more },
      { signal },
    );
    return { text: choices[0].message.content };
  },
  plain: () => chat.ask(question),
  async stream(signal) {
    const messages = [{ role: "user", content: question }];
    return collect(textsOf(await client.chat.completions.create({ model, messages, stream: true }, { signal })));
  },
  async tools() {
    const runner = client.chat.completions.runTools({
      model,
      messages: [{ role: "user", content: question }],
      tools: [{ type: "function", function: { ...declared, parse: JSON.parse, function: run } }],
    });
    return { text: await runner.finalContent() };
  },
  images: () =>
    chat.ask([
      { type: "text", text: question },
      { type: "image_url", image_url: { url } },
    ]),
  schema: () =>
    chat.ask(question, {
      response_format: { type: "json_schema", json_schema: { name: "report", schema: report, strict: true } },
    }),
};
chat.cancel = chat.stream;

const responses = {
  async ask(content, more = {}) {
    const response = await client.responses.create({ model, input: [{ role: "user", content }], ...more });
    return { text: response.output_text };
  },
  plain: () => responses.ask(question),
  async stream(signal) {
    const stream = await client.responses.create({ model, input: question, stream: true }, { signal });
    return collect(deltasOf(stream));
  },
  async tools() {
    const tools = [{ type: "function", strict: true, ...declared }];
    const first = await client.responses.create({ model, input: question, tools });
    const outputs = first.output
      .filter(({ type }) => type === "function_call")
      .map(({ call_id, arguments: args }) => ({
        type: "function_call_output",
        call_id,
        output: run(JSON.parse(args)),
      }));
    const second = await client.responses.create({ model, previous_response_id: first.id, input: outputs, tools });
    return { text: second.output_text };
  },
  images: () =>
    responses.ask([
      { type: "input_text", text: question },
      { type: "input_image", image_url: url },
    ]),
  schema: () =>
    responses.ask(question, {
      text: { format: { type: "json_schema", name: "report", schema: report, strict: true } },
    }),
};
responses.cancel = responses.stream;

await play(process.argv.at(-2) === "chat" ? chat : responses);
