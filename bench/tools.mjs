// Many tools: what a whole question costs in tokens (characters of all request bodies / 4) through the built library with
// 300 tools of ten servers, beside the same question with 20 tools of one, and how long the search among 300 tools takes.
// Fails when the 300 cost more than the 20, or when the search takes longer than its limits.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { createDuet } from "../dist/index.js";
import { createToolIndex } from "../src/tools/find/tool-index.ts";

const indexLimit = 20;
const queryLimit = 2;
const rounds = 21;

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const sent = [];
const provider = createServer(answer);
await new Promise((resolve) => provider.listen(0, "127.0.0.1", resolve));
process.env.BENCH_KEY = "k";

/** What is asked, and of which tool the model wants the result; `searches`: the question says nothing about it. */
const questions = [
  { text: "杭州明天的天气怎么样？", tool: "maps_weather" },
  { text: "What is the weather in Hangzhou tomorrow?", tool: "maps_weather" },
  { text: "Please go on with what we spoke of.", tool: "maps_weather", searches: true },
];

const few = { one: serverOf(0, 20, 3) };
const many = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`server${index}`, serverOf(index * 30, 30)]));
try {
  const costs = { 20: await costsWith(few), 300: await costsWith(many) };
  for (const [index, { text, searches }] of questions.entries()) {
    const [twenty, hundreds] = [costs[20][index], costs[300][index]];
    const note = searches ? "   with a search by the model" : "";
    console.log(`${String(hundreds).padStart(6)} tokens with 300 tools, ${twenty} with 20   ${text}${note}`);
    if (hundreds > twenty) throw new Error(`300 tools cost ${hundreds} tokens, above ${twenty} with 20: ${text}`);
  }
} finally {
  provider.close();
}
search();

function serverOf(from, count, step = 1) {
  return {
    command: process.execPath,
    args: [at("./many-tools-server.mjs"), String(from), String(count), String(step)],
  };
}

async function costsWith(mcpServers) {
  const model = { provider: "bench", model: "m", contextWindow: 128_000 };
  const duet = await createDuet({
    models: { functionCall: model },
    config: {
      providers: { bench: { wire: "openai-chat", baseUrl: address(), apiKeyEnv: "BENCH_KEY" } },
      mcpServers,
      conversations: { store: "memory" },
      locale: "en",
    },
  });
  try {
    const costs = [];
    await duet.tools();
    for (const { text } of questions) {
      sent.length = 0;
      const { status, tool_calls: calls } = await duet.ask(text);
      if (status !== "complete" || !calls.some(({ ok, tool }) => ok && tool.includes("maps_weather")))
        throw new Error(`not answered: ${text}: ${status} ${JSON.stringify(calls)}`);
      costs.push(Math.round(sent.reduce((sum, length) => sum + length, 0) / 4));
    }
    return costs;
  } finally {
    await duet.close();
  }
}

function address() {
  return `http://127.0.0.1:${provider.address().port}/v1`;
}

/** A model that calls the weather's tool where it is on offer, looks for it where it is not, and then answers. */
async function answer(request, response) {
  let body = "";
  request.setEncoding("utf8");
  for await (const piece of request) body += piece;
  sent.push(body.length);
  const { messages, tools = [] } = JSON.parse(body);
  const names = tools.map((tool) => tool.function.name);
  const weather = names.find((name) => name.endsWith("__maps_weather"));
  const isRead = messages.some(({ role, content }) => role === "tool" && String(content).includes("21 degrees"));
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (isRead) response.end(turn({ content: "21 degrees." }, "stop"));
  else if (weather) response.end(turn(call(weather, { city: "Hangzhou" }), "tool_calls"));
  else response.end(turn(call("find_tools", { query: "weather" }), "tool_calls"));
}

function call(name, args) {
  const made = { name, arguments: JSON.stringify(args) };
  return { content: null, tool_calls: [{ index: 0, id: "call_1", type: "function", function: made }] };
}

function turn(delta, finish) {
  const frame = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1754432618, model: "m" };
  const chunk = (choices, more = {}) => `data: ${JSON.stringify({ ...frame, choices, ...more })}\n\n`;
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const first = chunk([{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }]);
  return `${first}${chunk([{ index: 0, delta: {}, finish_reason: finish }])}${chunk([], { usage })}data: [DONE]\n\n`;
}

/** CPU time to index 300 tools and to search among them, in milliseconds: the first time, and the median. */
function search() {
  const lines = readFileSync(at("../test/fixtures/real-tools.jsonl"), "utf8").trim().split("\n");
  const real = lines.map((line) => JSON.parse(line));
  const tools = Array.from({ length: 300 }, (_, index) => {
    const { server, name, title, description, inputSchema } = real[index % real.length];
    const source = `${server}${Math.floor(index / real.length)}`;
    return { name: `${source}__${name}`, source, description, inputSchema, annotations: { title } };
  });
  const times = { index: [], query: [] };
  for (let round = 0; round < rounds; round++) {
    let index;
    times.index.push(cpuTime(() => (index = createToolIndex(tools))));
    const all = cpuTime(() => {
      for (const { text } of questions) index.find(text, 5);
    });
    times.query.push(all / questions.length);
  }
  const show = ([first, ...rest]) => `first ${first.toFixed(1)} ms, then ${median(rest).toFixed(2)} ms`;
  console.log(`index of 300 tools: ${show(times.index)}; query: ${show(times.query)}   CPU, median of ${rounds - 1}`);
  if (median(times.index.slice(1)) > indexLimit || median(times.query.slice(1)) > queryLimit)
    throw new Error(`above the limits of ${indexLimit} ms and ${queryLimit} ms`);
}

function cpuTime(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
