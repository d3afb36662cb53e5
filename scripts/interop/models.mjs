// The two scripted models: one below Duet, and the outer one that a framework or an agent program believes to be its own.
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const calculation = { name: "calculator", arguments: { expression: "6*7" } };
const conversion = { name: "format_data", arguments: { data: '{"a":1}', from: "json", to: "yaml" } };

/** Says what Duet's model does in each scenario: which tool it calls first, in how many pieces it answers, and how fast. */
const modelScripts = {
  lists: { pieces: 5, everyMs: 1 },
  answer: { call: calculation, pieces: 40, everyMs: 5 },
  slow: { pieces: 100, everyMs: 120 },
  progress: { call: calculation, pieces: 40, everyMs: 20 },
  cancel: { pieces: 4000, everyMs: 50 },
  confirmation: { call: conversion, pieces: 10, everyMs: 5 },
  limit: { pieces: 750, everyMs: 100 },
};

/** The call of the scenario `confirmation` waits for consent. */
export const toolWithConsent = conversion.name;

const wires = await Promise.all(
  readdirSync(join(import.meta.dirname, "wires")).map((file) => import(`./wires/${file}`)),
);

/** Starts both models. `begin(scenario)` resets what was seen. */
export async function startModels() {
  let seen;
  begin("lists");

  function begin(scenario) {
    const { promise: started, resolve: start } = Promise.withResolvers();
    const { promise: ended, resolve: end } = Promise.withResolvers();
    const { pieces } = modelScripts[scenario];
    const answer = `The answer has ${pieces} pieces: ${Array.from({ length: Math.min(pieces, 100) }, (_, n) => `w${n}`).join(" ")} END.`;
    seen = {
      ...{ scenario, answer, started, start, ended, end },
      requests: 0,
      startedAt: 0,
      closedAt: 0,
      outerRequests: [],
    };
    return seen;
  }

  async function answerDuet(body, response) {
    const own = seen;
    own.requests++;
    response.on("close", () => {
      own.closedAt = Date.now();
      own.end();
    });
    const { call, pieces, everyMs } = modelScripts[own.scenario];
    const hasResult = body.messages.some(({ role }) => role === "tool");
    const wantsTool = call && !hasResult && body.tools?.some((tool) => tool.function?.name === call.name);
    if (!body.stream) return writeWhole(response, own.answer);
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (wantsTool) {
      const asked = { name: call.name, arguments: JSON.stringify(call.arguments) };
      writeChunk(response, {
        tool_calls: [{ index: 0, id: `call_${own.requests}`, type: "function", function: asked }],
      });
      return finish(response, "tool_calls");
    }
    const words = own.answer.split(/(?<= )/);
    for (let index = 0; index < pieces && !response.destroyed; index++) {
      writeChunk(response, { content: index === pieces - 1 ? words.slice(index).join("") : (words[index] ?? "w ") });
      if (index === 2) own.start();
      await pause(everyMs);
    }
    finish(response, "stop");
  }

  function answerOuter(url, body, response) {
    const wire = wires.find((candidate) => candidate.matches(url));
    if (wire === undefined) return writeWhole(response, "");
    const { tools, results } = readBridge(wire.readTools(body, url), wire.readResults(body, url));
    seen.outerRequests.push({ at: Date.now(), tools: tools.map(({ name }) => name), results });
    wire.write(response, body, decide(tools, results, seen), `call_${seen.outerRequests.length}`, url);
  }

  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const url = request.url ?? "";
    if (url === "/interop/started") {
      seen.startedAt = 0;
      await seen.started;
      seen.startedAt = Date.now();
      return response.end("started");
    }
    if (url === "/interop/ended") {
      await Promise.race([seen.ended, pause(20_000)]);
      return response.end("ended");
    }
    response.on("error", () => {});
    const body = text === "" ? {} : JSON.parse(text);
    if (request.method === "GET" || text === "") return writeModels(response);
    if (url.startsWith("/duet/")) return answerDuet(body, response);
    return answerOuter(url, body, response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address, begin, close };
}

/**
 * Adds the tools that a host does not list but lets its model find with one tool and call with another, and leaves out the results of
 * finding them.
 */
export function readBridge(tools, results) {
  const bridge = tools.find(({ name }) => name === "tool_call")?.name;
  if (bridge === undefined) return { tools, results };
  const found = results.filter((text) => text.includes("<functions>"));
  const names = new Set(found.flatMap((text) => text.match(/\w*agent_(?:ask|result|cancel)\b/g) ?? []));
  return {
    tools: [...tools, ...[...names].map((name) => ({ name, bridge }))],
    results: names.size > 0 ? results.filter((text) => !found.includes(text)) : results,
  };
}

/** What a careful model would do: ask, follow what the result says, and ask again when it reads of a time-out. */
function decide(tools, results, { scenario, answer }) {
  const findTool = (name) => tools.find((candidate) => candidate.name.endsWith(name));
  const ask = findTool("agent_ask");
  const search = findTool("tool_search");
  if (ask === undefined && search && results.length === 0)
    return { call: { ...search, args: { query: "agent_ask agent_result" } } };
  if (ask === undefined) return { text: "There is no tool agent_ask." };
  const last = results.at(-1);
  const question = toCall(ask, { question: toQuestion(scenario) });
  if (last === undefined) return { call: question };
  const next = readNextCall(last);
  const named = next && findTool(next.name);
  if (named && results.length < 15) return { call: toCall(named, next.args) };
  const isLost = scenario === "slow" && !last.includes(answer) && results.length < 4;
  return isLost ? { call: question } : { text: `FINAL ${last.slice(0, 200)}` };
}

function toCall({ bridge, ...tool }, args) {
  return bridge ? { name: bridge, args: { name: tool.name, arguments: args } } : { ...tool, args };
}

/** Reads the call that a text of Duet names, as in `agent_result {"run_id":"…"}`; quotes may be escaped once or twice. */
export function readNextCall(text) {
  const [, name, args] = /(agent_(?:ask|result)) (\{[^{}]*\})/.exec(text.replaceAll(/\\+"/g, '"')) ?? [];
  if (args === undefined) return undefined;
  try {
    return { name, args: JSON.parse(args) };
  } catch {
    return undefined;
  }
}

/** The same question in one scenario, and no two scenarios with the same. */
export function toQuestion(scenario) {
  return `What is 6 times 7? (${scenario})`;
}

function writeChunk(response, delta, finish_reason = null) {
  const frame = { id: "c", object: "chat.completion.chunk", created: 1, model: "scripted" };
  response.write(`data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
}

function finish(response, reason) {
  writeChunk(response, {}, reason);
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const frame = { id: "c", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [], usage };
  response.end(`data: ${JSON.stringify(frame)}\n\ndata: [DONE]\n\n`);
}

function writeWhole(response, content) {
  response.writeHead(200, { "content-type": "application/json" });
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
  response.end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "scripted", choices }));
}

function writeModels(response) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
}
