// Fault group G (docs/development/faults-network.md#g-our-own-http-and-mcp-server), as far as it is the protocol's: what a host
// hands back, and what it reads. A case's number stands first in its title.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { isRecord } from "../../src/kit/json.ts";
import { call, messagesOf, modernHeaders, modernMeta, openSession, startHttpFace } from "../fakes/http-interface.ts";
import { collect, configFile, startProgram, temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { type FaceSettings, openFace } from "../runs/mcp-interface.ts";

type Json = Record<string, unknown>;

const wipe = { id: "1", name: "wipe_disk", input: { disk: "a" } };
const yes = { question: { action: "accept", content: {} } };

interface Answer {
  isRefused: boolean;
  text: string;
  requestState: string;
  outcome: Json;
}

/** An agent over HTTP whose callers are who their `Authorization` says; each request of the 2026 era, by hand. */
async function served(settings: FaceSettings) {
  const opened = await openFace(settings);
  const face = await startHttpFace({
    createServer: opened.mcp.createServer,
    authenticate: async ({ headers }) => ({ caller: { owner: headers.get("authorization") ?? "nobody" } }),
  });
  onTestFinished(() => face.close());

  /** `more` goes beside the name and the arguments: an answer with its state. */
  async function send(owner: string, tool: string, args: Json, more: Json = {}, capabilities: Json = {}) {
    const request = call(1, tool, args, { ...modernMeta, "io.modelcontextprotocol/clientCapabilities": capabilities });
    const response = await fetch(face.url, {
      method: "POST",
      headers: { ...modernHeaders("tools/call", tool), authorization: owner },
      body: JSON.stringify({ ...request, params: { ...request.params, ...more } }),
    });
    return answerIn(await response.text());
  }
  return { ...opened, face, send };
}

function answerIn(body: string): Answer {
  const last = messagesOf(body).at(-1);
  const result = isRecord(last?.result) ? last.result : {};
  const [content] = Array.isArray(result.content) ? result.content : [];
  return {
    isRefused: last?.error !== undefined || result.isError === true,
    text: isRecord(content) ? String(content.text) : JSON.stringify(last?.error),
    requestState: String(result.requestState),
    outcome: isRecord(result.structuredContent) ? result.structuredContent : {},
  };
}

const asks = { elicitation: { form: {} } };

/** The text with the lowest bit of one character changed, for each of them. */
function flipped(text: string): string[] {
  return [...text].map((character, at) => {
    const other = String.fromCharCode(character.charCodeAt(0) ^ 1);
    return text.slice(0, at) + other + text.slice(at + 1);
  });
}

test("93: the state of a question counts once, unchanged, from who was asked, and for what was asked", async () => {
  const { send, wiped } = await served({ turns: [[wipe], "Done."] });
  const args = { question: "Wipe disk a." };
  const { requestState } = await send("anna", "agent_ask", args, {}, asks);
  const answer = (state: string, owner = "anna", tool = "agent_ask", given: Json = args) =>
    send(owner, tool, given, { requestState: state, inputResponses: yes }, asks);

  const changed = [
    ...someOf(flipped(requestState)),
    "",
    requestState.slice(1),
    `${requestState}0`,
    requestState.toUpperCase(),
  ];
  for (const state of changed.filter((each) => each !== requestState))
    expect(await answer(state), state).toMatchObject({ isRefused: true });
  expect(await answer(requestState, "ben")).toMatchObject({ isRefused: true });
  expect(await answer(requestState, "anna", "agent_result", { run_id: "run-1" })).toMatchObject({ isRefused: true });
  expect(wiped).toEqual([]);

  expect((await answer(requestState)).outcome).toMatchObject({ status: "complete", response: "Done." });
  expect(await answer(requestState)).toMatchObject({ isRefused: true });
  expect(wiped).toEqual([{ disk: "a" }]);
});

test("93: a token counts once, unchanged, from who was given it, and for the call that was shown", async () => {
  const other = { id: "2", name: "wipe_disk", input: { disk: "b" } };
  const { send, wiped } = await served({ turns: [[wipe], [other], "Done."] });
  const first = await send("anna", "agent_ask", { question: "Wipe the disks." });
  const token = tokenOf(first);
  const confirm = (confirmation: string, owner = "anna") => send(owner, "agent_ask", { question: "yes", confirmation });

  const [payload = "", signature = ""] = token.split(".");
  const changed = [
    ...someOf(flipped(payload)).map((each) => `${each}.${signature}`),
    ...someOf(flipped(signature)).map((each) => `${payload}.${each}`),
    payload,
    `.${signature}`,
    `${token}.`,
    `${token}=`,
  ];
  const refused = await Promise.all(changed.map((each) => confirm(each)));
  expect(refused.filter(({ isRefused }) => !isRefused)).toEqual([]);
  expect(await confirm(token, "ben")).toMatchObject({ isRefused: true });
  expect(wiped).toEqual([]);

  const second = await confirm(token);
  expect(second.outcome).toMatchObject({ status: "needs_confirmation", confirmation: { tool: "wipe_disk" } });
  expect(second.text).toContain('"disk": "b"');
  expect(await confirm(token)).toMatchObject({ isRefused: true });
  expect(wiped).toEqual([{ disk: "a" }]);
  expect((await confirm(tokenOf(second))).outcome).toMatchObject({ status: "complete" });
  expect(wiped).toEqual([{ disk: "a" }, { disk: "b" }]);
});

/** One in ten, and the last. */
function someOf(texts: readonly string[]): string[] {
  return texts.filter((_, at) => at % 10 === 0 || at === texts.length - 1);
}

function tokenOf({ outcome: { confirmation } }: Answer): string {
  return isRecord(confirmation) ? String(confirmation.token) : "";
}

test("93: a word that comes too late moves nothing, neither by state nor by token", async () => {
  const { send, wiped, model } = await served({
    turns: [[wipe], [wipe], "Not wiped.", "Not wiped."],
    serve: { confirmTime: 1 },
  });
  const asked = await send("anna", "agent_ask", { question: "Wipe, and ask me." }, {}, asks);
  const given = await send("anna", "agent_ask", { question: "Wipe, by token." });
  await expect.poll(() => model.requests.length).toBe(4);
  await send(
    "anna",
    "agent_ask",
    { question: "Wipe, and ask me." },
    { requestState: asked.requestState, inputResponses: yes },
    asks,
  );
  expect(await send("anna", "agent_ask", { question: "yes", confirmation: tokenOf(given) })).toMatchObject({
    isRefused: true,
  });
  expect(wiped).toEqual([]);
});

test("93: a stream is not taken up again by who knows its session but is somebody else", async () => {
  const { face } = await served({ turns: [] });
  const { id } = await openSession(face.url, { authorization: "anna" });
  const headers = { accept: "text/event-stream", "mcp-session-id": id, "last-event-id": "1", authorization: "ben" };
  const response = await fetch(face.url, { headers });
  await response.text();
  expect(response.status).toBe(404);
});

/** Says what a dependency may say, in every way that a program has. */
const chatty = `
  const say = (where) => {
    for (const method of ["log", "info", "debug", "table", "dir", "error", "warn", "trace"]) console[method]("NOISE " + where + " " + method);
    globalThis.console.log("NOISE", { where });
    process.emitWarning("NOISE " + where);
    process.stdout.write("NOISE straight to stdout\\n");
    new Buffer(1);
  };
  say("at import");
  export default {
    name: "chatty",
    description: "Talks.",
    inputSchema: { type: "object" },
    async run() {
      const { Console } = await import("node:console");
      say("in a call");
      setImmediate(() => say("later"));
      new Console(process.stderr).log("NOISE");
      return "said";
    },
  };`;

test("94: stdout has nothing but messages, whatever is logged, warned of or printed by what a run loads", async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.script("cheap", { toolCalls: [{ name: "chatty", arguments: {} }] }, { text: "Quiet." });
  const folder = await temporaryFolder();
  await mkdir(join(folder, "tools"));
  await writeFile(join(folder, "tools", "chatty.mjs"), chatty);
  const noise = `console.log("Listening"); process.stdout.write("{}\\n[]\\n"); process.exit(3);`;
  const config = await configFile({
    models: { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } },
    tools: { directory: join(folder, "tools") },
    mcpServers: { noisy: { command: process.execPath, args: ["-e", noise] } },
  });
  const env = {
    OPENAI_API_KEY: "sk-test-openai-0001",
    NODE_OPTIONS: "--trace-warnings --pending-deprecation",
    NO_COLOR: "1",
  };
  const child = await startProgram(["serve", "--verbose", "--config", config], { env });
  const finished = collect(child);
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "test", version: "0" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
  child.stdin.write("no message\n");
  send({ method: "notifications/initialized" });
  send({
    id: 2,
    method: "tools/call",
    params: { name: "agent_ask", arguments: { question: "Talk." }, _meta: { progressToken: 1 } },
  });
  await new Promise<void>((done) => {
    let all = "";
    child.stdout.on("data", (text) => {
      all += text;
      if (all.includes('"id":2')) done();
    });
  });
  child.stdin.end();
  const { code, stdout, stderr } = await finished;
  expect(code).toBe(0);
  expect(stderr).toContain("NOISE at import log");
  expect(stderr).toContain("NOISE in a call table");
  expect(stderr).toContain("NOISE later trace");
  expect(stderr).toContain("NOISE straight to stdout");
  expect(stdout.endsWith("\n")).toBe(true);
  for (const line of stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  expect(stdout).not.toContain("NOISE");
});

test("93: a cursor that was never given out is refused, for each list", async () => {
  const { mcp } = await openFace({ turns: [] });
  const [above, below] = InMemoryTransport.createLinkedPair();
  const server = await mcp.createServer();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(below), client.connect(above)]);
  onTestFinished(() => client.close());
  for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
    const request = { method, params: { cursor: "eyJvZmZzZXQiOjEwMH0=" } };
    await expect(client.request(request, z.unknown())).rejects.toMatchObject({ code: -32602 });
  }
});
