// What the clients of the model APIs in JavaScript share: one scenario, played by the function of its name.
import { readFileSync } from "node:fs";

const scenario = process.argv.at(-1);
const { env } = process;

export const model = env.DUET_MODEL;
export const question = env.DUET_QUESTION;
export const pictureBytes = readFileSync(env.DUET_PICTURE);
export const picture = pictureBytes.toString("base64");

/** The client's tool: what it returns stands nowhere else. */
export const weather = {
  name: "get_weather",
  description: "Returns the weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
  run: ({ city }) => (city === "Paris" ? `18 degrees, ${env.DUET_SECRET}` : `no such city: ${city}`),
};

/** What the answer of the scenario `schema` has to be. */
export const report = {
  type: "object",
  properties: { city: { type: "string" }, degrees: { type: "number" } },
  required: ["city", "degrees"],
  additionalProperties: false,
};

/** Counts the pieces of a stream and joins them. */
export async function collect(pieces) {
  const texts = [];
  for await (const piece of pieces) if (piece) texts.push(piece);
  return { text: texts.join(""), pieces: texts.length };
}

/** Plays the scenario. `cancel` is given a signal, which is aborted once the model has begun to answer. */
export async function play(plays) {
  const stop = new AbortController();
  const line = { scenario };
  const cancelled = scenario === "cancel" ? abortOnceBegun(stop) : undefined;
  try {
    Object.assign(line, await plays[scenario === "errors" ? "plain" : scenario](stop.signal));
  } catch (error) {
    const told = `${error?.name}: ${error?.message} ${error?.cause?.message ?? ""}`.trim().slice(0, 600);
    Object.assign(line, scenario === "errors" ? { failed: told } : { error: told });
  }
  await cancelled;
  console.log(`\n${JSON.stringify(line)}`);
  process.exit(0);
}

async function abortOnceBegun(stop) {
  await fetch(env.INTEROP_STARTED);
  stop.abort();
  await fetch(env.INTEROP_ENDED);
}
