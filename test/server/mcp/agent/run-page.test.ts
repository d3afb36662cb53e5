import { gzipSync } from "node:zlib";
import type { Client } from "@modelcontextprotocol/client";
import { isToolVisibilityAppOnly } from "@modelcontextprotocol/ext-apps/app-bridge";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../../src/core/run/events.ts";
import type { ToolContext } from "../../../../src/core/tools/tool.ts";
import { pageType } from "../../../../src/core/tools/tool-pages.ts";
import { canShowPages, runPageMeta, runPageUri } from "../../../../src/server/mcp/agent/run-page.ts";
import { toWatchedEvents } from "../../../../src/server/mcp/agent/watch-run.ts";
import { makeTool } from "../../../fakes/events.ts";
import { connect } from "./connected.ts";
import { pagedAgent } from "./paged-agent.ts";

const look = { id: "1", name: "look", input: { at: "x" } };

test("the page is one text that loads nothing from outside, under its own type", async () => {
  const { provider } = pagedAgent({ decide: [], answer: [] });
  const client = await connect(provider);
  const { resources } = await client.listResources();
  const read = await client.readResource({ uri: runPageUri });
  const [page] = read.contents;
  expect(resources).toMatchObject([{ uri: runPageUri, mimeType: pageType }]);
  expect(page).toMatchObject({
    mimeType: pageType,
    _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } },
  });
  const html = page !== undefined && "text" in page ? page.text : "";
  expect(html).toContain("default-src 'none'");
  const [markup = "", script = ""] = html.split("<script>");
  expect(markup).not.toMatch(/https?:|<(?:link|img|iframe|script)\b|@import|url\(/);
  expect(script).not.toMatch(/innerHTML|fetch\(|XMLHttpRequest|WebSocket|EventSource|importScripts|\bimport\(/);
  // What is put before an address that begins with www, and a word in an error of the Markdown reader.
  const addresses = [...script.matchAll(/\bhttps?:\/\/[^"'`\s]*/g)].map(([address]) => address);
  expect(addresses.sort()).toEqual(["http://", "https://github.com/markedjs/marked."]);
  expect(gzipSync(html).length).toBeLessThan(40_000);
});

test("the tool that watches is for pages alone, and only reads", async () => {
  const { provider } = pagedAgent({ decide: [], answer: [] });
  const client = await connect(provider);
  const [tool] = (await client.listTools()).tools;
  expect(tool).toMatchObject({ name: "agent_watch", annotations: { readOnlyHint: true } });
  expect(isToolVisibilityAppOnly(tool ?? {})).toBe(true);
});

test("a host shows pages when it says so, in the words of the specification", () => {
  const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [pageType] } } };
  expect(canShowPages(capabilities)).toBe(true);
  expect([undefined, {}, { extensions: { "io.modelcontextprotocol/ui": {} } }].map(canShowPages)).toEqual([
    false,
    false,
    false,
  ]);
  expect(runPageMeta).toEqual({ ui: { resourceUri: runPageUri }, "ui/resourceUri": runPageUri });
});

test("a run is found by its question before it begins, and followed by its events to its outcome", async () => {
  const looking = makeTool("look", () => ({ ok: true, text: "a long enough result to be told" }));
  const agent = pagedAgent({ decide: [[look], "enough"], answer: ["It is x."], tools: [looking] });
  const client = await connect(agent.provider);
  const first = watch(client, { question: " What? ", wait_s: 20 });
  const run = agent.begin("What?");
  let seen = await first;
  const events = [...seen.events];
  expect(seen.run_id).toBe(run.id);
  while (seen.outcome === null) {
    seen = await watch(client, { run_id: run.id, after: seen.after, wait_s: 20 });
    events.push(...seen.events);
  }
  expect(events.map(({ type }) => type)).not.toContain("run-end");
  expect(events.filter(({ type }) => type === "tool-end")).toMatchObject([{ tool: "look", ok: true }]);
  const written = events.flatMap(({ type, text }) => (type === "answer-delta" ? [text] : [])).join("");
  expect(written).toBe("It is x.");
  expect(seen.outcome).toMatchObject({ status: "complete", run_id: run.id });
});

test("a run that is over gives its question to the next one that begins", async () => {
  const agent = pagedAgent({ decide: ["enough", "enough"], answer: ["One.", "Two."] });
  const client = await connect(agent.provider);
  const old = agent.begin("Same?");
  await agent.ended(old);
  const seen = await watch(client, { question: "Same?" });
  expect(seen).toMatchObject({ run_id: old.id, outcome: { response: "One." } });
  const next = watch(client, { question: "Same?", run_id: old.id, after: seen.after, wait_s: 20 });
  const run = agent.begin("Same?");
  expect(await next).toMatchObject({ run_id: run.id });
  await agent.ended(run);
});

test("a call that waits for a person is told without its token, and told again once it was answered", async () => {
  const asking = {
    ...makeTool("look", () => ({ ok: true, text: "" })),
    async run(args: object, { approve }: ToolContext) {
      const approval = await approve?.({ tool: "look", arguments: { ...args }, rule: "tools.ask: *", onlyOnce: true });
      return { ok: true, text: `the answer was ${approval}` };
    },
  };
  const agent = pagedAgent({
    decide: [[look], "enough"],
    answer: ["Done."],
    tools: [asking],
    runIdOf: (token) => ids.get(token),
  });
  const ids = new Map<string, string>();
  const client = await connect(agent.provider);
  const run = agent.begin("May I?");
  ids.set("token", run.id);
  let seen = await watch(client, { run_id: run.id, wait_s: 20 });
  while (seen.waits_for === null) seen = await watch(client, { run_id: run.id, after: seen.after, wait_s: 20 });
  expect(seen).toMatchObject({ waits_for: { kind: "call", tool: "look", arguments: { at: "x" } }, outcome: null });
  const byToken = await watch(client, { question: "yes", confirmation: "token" });
  expect(byToken.run_id).toBe(run.id);
  const after = watch(client, { run_id: run.id, after: run.events.length, waiting: true, wait_s: 20 });
  const { open } = run;
  if (open?.kind === "call") open.answer("once");
  expect(await after).toMatchObject({ waits_for: null });
  expect(await agent.ended(run)).toMatchObject({ status: "complete" });
});

test("bad input and a run that nobody knows are errors with the value", async () => {
  const { provider } = pagedAgent({ decide: [], answer: [] });
  const client = await connect(provider);
  const unknown = await client.callTool({ name: "agent_watch", arguments: { run_id: "run-x" } });
  expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('"run-x"') }] });
  const bad = await client.callTool({ name: "agent_watch", arguments: { question: "x", wait_s: 21 } });
  expect(bad).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("wait_s") }] });
});

test("pieces of a text are told as one, long values are cut, and one answer has an end", () => {
  const piece = (text: string): AgentEvent => ({ type: "answer-delta", text });
  expect(toWatchedEvents(["a", "b", "c"].map(piece), 1)).toEqual({
    events: [{ type: "answer-delta", text: "bc" }],
    after: 3,
  });
  const big: AgentEvent = { type: "tool-start", callId: "1", step: 1, tool: "t", arguments: { page: "x".repeat(1e5) } };
  const first = toWatchedEvents(Array(30).fill(big), 0);
  expect(first.after).toBeLessThan(30);
  expect(JSON.stringify(first.events).length).toBeLessThan(250_000);
  expect(toWatchedEvents(Array(30).fill(big), first.after).after).toBeGreaterThan(first.after);
});

interface Watched {
  run_id: string | null;
  after: number;
  events: { type: string; text?: string; tool?: string; ok?: boolean }[];
  outcome: Record<string, unknown> | null;
  waits_for: Record<string, unknown> | null;
}

async function watch(client: Client, args: object): Promise<Watched> {
  const { structuredContent, isError, content } = await client.callTool({
    name: "agent_watch",
    arguments: { ...args },
  });
  if (isError) throw new Error(JSON.stringify(content));
  return JSON.parse(JSON.stringify(structuredContent));
}
