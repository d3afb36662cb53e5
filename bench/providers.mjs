// Overhead: CPU time of one streamed turn of 1,000 chunks through our models, beside that of the vendor's package alone
// reading the same bytes. The server is another process, so that only reading is counted. The two take turns within one
// process, so that a machine whose speed drifts slows both; prints medians and their ratio. Fails above the limit.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const limit = 1.5;
const rounds = Number(process.argv[2] ?? 25);
const turnsPerRound = 4;
/** Of the server's thousand words of six characters. */
const expectedLength = 6000;

const program = fileURLToPath(new URL("./provider-server.mjs", import.meta.url));
const server = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
try {
  const url = String(await new Promise((resolve) => server.stdout.once("data", resolve))).trim();
  let worst = 0;
  for (const wire of ["openai-chat", "openai-responses", "anthropic-messages"]) {
    worst = Math.max(worst, await compare(wire, url));
  }
  if (worst > limit) throw new Error(`the overhead is ${worst.toFixed(2)} x, above ${limit} x`);
} finally {
  server.kill();
}

async function compare(wire, url) {
  const readers = { bare: await vendorReader(wire, url), ours: await ourReader(wire, url) };
  const times = { bare: [], ours: [] };
  for (let round = -3; round < rounds; round++) {
    for (const name of round % 2 ? ["bare", "ours"] : ["ours", "bare"]) {
      const used = await cpuTime(readers[name]);
      if (round >= 0) times[name].push(used);
    }
  }
  const [bare, ours] = [median(times.bare), median(times.ours)];
  const ratio = ours / bare;
  const shown = [bare, ours].map((time) => `${time.toFixed(1)} ms`.padStart(8));
  console.log(
    `${wire.padEnd(20)} package ${shown[0]}   ours ${shown[1]}   ${ratio.toFixed(2)} x   median of ${rounds}`,
  );
  return ratio;
}

/** Milliseconds of CPU, user and system, for one turn. */
async function cpuTime(read) {
  const before = process.cpuUsage();
  for (let turn = 0; turn < turnsPerRound; turn++) {
    const length = await read();
    if (length !== expectedLength) throw new Error(`read ${length} characters of ${expectedLength}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / turnsPerRound;
}

/** Reads a turn with the vendor's package and its own `fetch`; gives the characters of the text. */
async function vendorReader(wire, url) {
  const messages = [{ role: "user", content: "hi" }];
  if (wire === "anthropic-messages") {
    const { Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic({ apiKey: "k", baseURL: `${url}/${wire}`, maxRetries: 0 });
    return async () => {
      let length = 0;
      for await (const event of await client.messages.create({ model: "m", max_tokens: 9, messages, stream: true })) {
        if (event.type === "content_block_delta") length += event.delta.text.length;
      }
      return length;
    };
  }
  const { OpenAI } = await import("openai");
  const client = new OpenAI({ apiKey: "k", baseURL: `${url}/${wire}`, maxRetries: 0 });
  if (wire === "openai-responses") {
    return async () => {
      let length = 0;
      for await (const event of await client.responses.create({ model: "m", input: "hi", stream: true })) {
        if (event.type === "response.output_text.delta") length += event.delta.length;
      }
      return length;
    };
  }
  return async () => {
    let length = 0;
    for await (const chunk of await client.chat.completions.create({ model: "m", messages, stream: true })) {
      length += chunk.choices[0]?.delta.content?.length ?? 0;
    }
    return length;
  };
}

/** Reads a turn through our model: retries, limits, collected turn and all. */
async function ourReader(wire, url) {
  const [{ createModel }, { resolveModel }, { createVendorTable }] = await Promise.all([
    import("../src/providers/create-model.ts"),
    import("../src/config/models/resolve-model.ts"),
    import("../src/config/models/vendor-table.ts"),
  ]);
  const table = createVendorTable({ bench: { wire, baseUrl: `${url}/${wire}` } });
  const model = createModel(resolveModel({ provider: "bench", model: "m" }, table, {}, "bench"));
  const request = { messages: [{ role: "user", content: "hi" }], tools: [] };
  return async () => {
    let length = 0;
    const count = (event) => {
      if (event.type === "text-delta") length += event.text.length;
    };
    await model.stream(request, count, new AbortController().signal);
    return length;
  };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
