import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { HostOutcome } from "../../../src/server/mcp/agent/host-outcome.ts";
import { collect, forManyStarts, npmServer, program, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";

interface Served {
  provider: FakeProvider;
  args: string[];
  env: Record<string, string>;
}

/** Writes its files into `folder`, which has to be there; whoever opens it closes its provider. */
async function openServed(folder: string, mcpServers: object = {}): Promise<Served> {
  const provider = await startFakeProvider();
  const file = join(folder, "duet.config.json");
  const models = {
    functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl },
    answer: { provider: "anthropic", model: "strong", baseUrl: provider.anthropicUrl },
  };
  await writeFile(file, JSON.stringify({ models, mcpServers }));
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    OPENAI_API_KEY: "sk-test-openai-0001",
    ANTHROPIC_API_KEY: "sk-test-anthropic-0002",
  };
  return { provider, args: ["serve", "--config", file], env };
}

async function served(mcpServers: object = {}): Promise<Served> {
  const it = await openServed(await temporaryFolder(), mcpServers);
  onTestFinished(() => it.provider.close());
  return it;
}

function toTransport({ args, env }: Served): StdioV1 {
  return new StdioV1({ command: process.execPath, args: [...forManyStarts, program, ...args], env, stderr: "pipe" });
}

interface Progress {
  progress: number;
  message?: string;
}

// The other clients, and HTTP, are tried in matrix.test.ts.
describe("duet serve over stdio for an SDK v1 client", () => {
  let folder: string;
  /** One program for all of these: none of them ends it, or leaves anything to the next. */
  let it: Served;
  const client = new ClientV1({ name: "test", version: "1" });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "duet-test-"));
    it = await openServed(folder, { everything: npmServer("mcp-server-everything") });
    await client.connect(toTransport(it));
  });

  afterAll(async () => {
    await client.close();
    await it.provider.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  function ask(args: Record<string, unknown>, settings: RequestOptions = {}) {
    return client.callTool({ name: "agent_ask", arguments: args }, undefined, settings) as Promise<CallToolResult>;
  }

  test("progress rises and the result is structured and complete as text", async () => {
    const begun = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    const toolCalls = [{ name: "everything__get-sum", arguments: { a: 2, b: 3 } }];
    it.provider.script(
      "cheap",
      { text: "I will add them.", toolCalls, hang: "after-text", until: begun.promise },
      { text: "Enough." },
    );
    it.provider.script("strong", { text: "The sum is five.", hang: "after-text", until: told.promise });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["agent_ask", "agent_result", "agent_cancel", "agent_message"]);
    expect(tools[0]?.outputSchema).toBeDefined();

    const progress: Progress[] = [];
    const onprogress = (one: Progress): void => {
      progress.push(one);
      begun.resolve();
      // The last words of an answer may wait for their turn until it is there.
      if (one.message?.includes("five")) told.resolve();
    };
    const result = await ask({ question: "What is 2 + 3?" }, { onprogress });
    expect(result.isError ?? false).toBe(false);
    expect(result.content[0]).toEqual({ type: "text", text: "The sum is five." });
    expect(result.structuredContent).toMatchObject({
      ...{ status: "complete", response: "The sum is five." },
      tool_calls: [{ tool: "everything__get-sum", ok: true }],
    });

    const numbers = progress.map(({ progress: number }) => number);
    expect(numbers.length).toBeGreaterThan(1);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    const all = progress.map(({ message }) => message).join("\n");
    for (const part of ["openai/cheap", "everything__get-sum", "anthropic/strong", "five"]) expect(all).toContain(part);
  });

  test("a run that fails is an error with a reason and what to do", async () => {
    it.provider.script("cheap", { status: 401, body: '{"error":{"message":"Incorrect API key provided"}}' });
    const result = await ask({ question: "hello" });
    expect(result.isError).toBe(true);
    expect(result.content[0]).toMatchObject({ text: expect.stringContaining("OPENAI_API_KEY") });
    expect(JSON.stringify(result)).not.toContain("sk-test-openai-0001");
  });

  test("bad arguments are refused with the field's name and the server stays up", async () => {
    it.provider.script("cheap", { text: "Enough." });
    it.provider.script("strong", { text: "Fine." });
    const bad = await ask({ question: "x", max_iterations: 11 });
    expect(bad.isError).toBe(true);
    expect(JSON.stringify(bad.content)).toContain("max_iterations");
    const good = await ask({ question: "x" });
    expect(good.isError ?? false).toBe(false);
  });

  test("a conversation goes on when its id is passed back", async () => {
    it.provider.script("cheap", { text: "Enough." }, { text: "Enough." });
    it.provider.script("strong", { text: "My name is Duet." }, { text: "I said Duet." });
    const first = await ask({ question: "Who are you?" });
    const { conversation_id } = first.structuredContent as HostOutcome;
    await ask({ question: "What did you say?", conversation_id });
    expect(JSON.stringify(it.provider.requests("strong").at(-1)?.body.messages)).toContain("My name is Duet.");
  });
});

describe("duet serve", () => {
  test("stdout carries only protocol lines, and the end of stdin ends the process with 0", async () => {
    const { args, env } = await served();
    const child = await startProgram(args, { env });
    const finished = collect(child);
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "0" } } })}\nnot json\n`,
    );
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.stdin.end();
    const { code, stdout } = await finished;
    expect(code).toBe(0);
    for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  test("a call that is cancelled in the same breath neither ends the process nor harms the next call", async () => {
    const it = await served();
    it.provider.script("cheap", { text: "Enough." });
    it.provider.script("strong", { text: "Still here." });
    const child = await startProgram(it.args, { env: it.env });
    const finished = collect(child);
    const send = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
    const call = (id: number) =>
      send({ id, method: "tools/call", params: { name: "agent_ask", arguments: { question: "hi" } } });
    child.stdin.write(
      send({
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "0" } },
      }) +
        send({ method: "notifications/initialized" }) +
        call(2) +
        send({ method: "notifications/cancelled", params: { requestId: 2 } }) +
        call(3),
    );
    let out = "";
    child.stdout.on("data", (text) => {
      out += text;
    });
    await expect.poll(() => out).toContain("Still here.");
    child.stdin.end();
    const { code, stderr } = await finished;
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  test("what is too long or no message is refused in one line, and the next request is answered", async () => {
    const { args, env } = await served();
    const child = await startProgram([...args, "--locale", "en"], { env });
    const finished = collect(child);
    const send = (message: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "t", version: "0" };
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
    let out = "";
    child.stdout.on("data", (text) => {
      out += text;
    });
    await expect.poll(() => out).toContain("serverInfo");
    child.stdin.write("[]\nnull\n");
    send({
      id: 2,
      method: "tools/call",
      params: { name: "agent_ask", arguments: { question: "x".repeat(11_000_000) } },
    });
    send({ id: 3, method: "ping" });
    await expect.poll(() => out).toContain('"id":3');
    child.stdin.end();
    const { code, stdout, stderr } = await finished;
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers.find(({ id }) => id === 2)?.error.message).toMatch(/has 110\d+ bytes and was refused/);
    expect(stderr.trim().split("\n")).toEqual([
      "duet: A message from the host was refused: message batches are not supported: received 0 messages (allowed: one message per request)",
      "duet: A message from the host was refused: message: null is not allowed (allowed: an object)",
      expect.stringMatching(/^duet: A message from the host has 110\d+ bytes and was refused/),
    ]);
    expect(code).toBe(0);
  });

  test("a server that fails at once is told while another one starts, also to a host that comes later", async () => {
    const silent = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], startTimeout: 300 };
    const { args, env } = await served({ silent, none: { command: "/nonexistent/server" } });
    const child = await startProgram([...args, "--locale", "en"], { env });
    const finished = collect(child);
    let err = "";
    let out = "";
    child.stderr.on("data", (text) => {
      err += text;
    });
    child.stdout.on("data", (text) => {
      out += text;
    });
    await expect.poll(() => err).toContain("duet: MCP server none cannot be used: ");
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "0" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    await expect.poll(() => out).toMatch(/"method":"notifications\/message".+none cannot be used/);
    child.stdin.end();
    expect(await finished).toMatchObject({ code: 0 });
  });

  test("a cancel reaches the tool that is running below", async () => {
    const journal = join(await temporaryFolder(), "journal");
    const args = [resolve("test/fakes/mcp.ts"), "--mode", "hang-on-call", "--journal", journal];
    const it = await served({ slow: { command: process.execPath, args } });
    const client = new ClientV1({ name: "test", version: "1" });
    await client.connect(toTransport(it));
    onTestFinished(() => client.close());
    it.provider.script("cheap", (request) => {
      const names = (request.body.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
      return { toolCalls: [{ name: names.find((name) => name.startsWith("slow__")) ?? "none", arguments: {} }] };
    });
    const stop = new AbortController();
    const asked = { name: "agent_ask", arguments: { question: "hang, please" } };
    const call = client.callTool(asked, undefined, { signal: stop.signal });
    call.catch(() => {});
    const journalText = () => readFile(journal, "utf8").catch(() => "");
    await expect.poll(journalText).toContain("tools/call");
    stop.abort("user stop");
    await expect.poll(journalText, { interval: 20 }).toContain("notifications/cancelled");
  });
});
