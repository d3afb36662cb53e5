import Anthropic from "@anthropic-ai/sdk";
import { collect, model, picture, play, question, report, weather } from "./api-scenario.mjs";

const client = new Anthropic({ apiKey: null });
const asked = (content) => ({ model, max_tokens: 1000, messages: [{ role: "user", content }] });
const textOf = ({ content }) => ({ text: content.map((block) => block.text ?? "").join("") });

async function* textsOf(stream) {
  for await (const event of stream) if (event.delta?.type === "text_delta") yield event.delta.text;
}

const plays = {
  plain: async () => textOf(await client.messages.create(asked(question))),
  stream: (signal) => collect(textsOf(client.messages.stream(asked(question), { signal }))),
  async tools() {
    const tool = {
      name: weather.name,
      description: weather.description,
      input_schema: weather.parameters,
      parse: (input) => input,
      run: weather.run,
    };
    return textOf(await client.beta.messages.toolRunner({ ...asked(question), tools: [tool] }));
  },
  async images() {
    const source = { type: "base64", media_type: "image/png", data: picture };
    return textOf(
      await client.messages.create(
        asked([
          { type: "image", source },
          { type: "text", text: question },
        ]),
      ),
    );
  },
  schema: async () =>
    textOf(
      await client.messages.create({
        ...asked(question),
        output_config: { format: { type: "json_schema", schema: report } },
      }),
    ),
};
plays.cancel = plays.stream;

await play(plays);
