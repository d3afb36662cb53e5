import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HostOutcome } from "../../../src/server/mcp/agent/host-outcome.ts";
import { collect, configFile, npmServer, program, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";

interface Served {
  provider: FakeProvider;
  /** The configuration file. */
  config: string;
  command: string;
  args: string[];
  env: Record<string, string>;
}

async function served(mcpServers: object = {}): Promise<Served> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const config = await configFile({
    models: {
      functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl },
      answer: { provider: "anthropic", model: "strong", baseUrl: provider.anthropicUrl },
    },
    mcpServers,
  });
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: await temporaryFolder(),
    OPENAI_API_KEY: "sk-test-openai-0001",
    ANTHROPIC_API_KEY: "sk-test-anthropic-0002",
  };
  return { provider, config, command: process.execPath, args: [program, "serve", "--config", config], env };
}

interface Progress {
  progress: number;
  message?: string;
}

interface Caller {
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>;
  ask(question: string, onProgress: (progress: Progress) => void, signal?: AbortSignal): Promise<Answer>;
}

interface Answer {
  isError?: boolean | undefined;
  content: { type: string; text?: string }[];
  structuredContent?: unknown;
}

async function v1({ command, args, env }: Served): Promise<Caller> {
  const client = new ClientV1({ name: "test", version: "1" });
  await client.connect(new StdioV1({ command, args, env, stderr: "pipe" }));
  onTestFinished(() => client.close());
  return {
    listTools: () => client.listTools(),
    ask: async (question, onprogress, signal) =>
      (await client.callTool({ name: "agent_ask", arguments: { question } }, undefined, {
        onprogress,
        signal,
      })) as Answer,
  };
}

// The other clients, and HTTP, are tried in matrix.test.ts.
describe("duet serve over stdio for an SDK v1 client", () => {
  test("progress rises and the result is structured and complete as text", async () => {
    const it = await served({ everything: npmServer("mcp-server-everything") });
    const begun = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    const toolCalls = [{ name: "everything__get-sum", arguments: { a: 2, b: 3 } }];
    it.provider.script(
      "cheap",
      { text: "I will add them.", toolCalls, hang: "after-text", until: begun.promise },
      { text: "Enough." },
    );
    it.provider.script("strong", { text: "The sum is five.", hang: "after-text", until: told.promise });
    const caller = await v1(it);
    const { tools } = await caller.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["agent_ask", "agent_result", "agent_cancel", "agent_message"]);
    expect(tools[0]?.outputSchema).toBeDefined();

    const progress: Progress[] = [];
    const result = await caller.ask("What is 2 + 3?", (one) => {
      progress.push(one);
      begun.resolve();
      // The last words of an answer may wait for their turn until it is there.
      if (one.message?.includes("five")) told.resolve();
    });
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

  test("a cancel closes the model's request, and the next call works", async () => {
    const it = await served();
    it.provider.script("cheap", { text: "thinking", hang: "after-text" }, { text: "Enough." });
    it.provider.script("strong", { text: "Back again." });
    const caller = await v1(it);
    const stop = new AbortController();
    const call = caller.ask("wait", () => {}, stop.signal);
    call.catch(() => {});
    await expect.poll(() => it.provider.requests("cheap").length).toBe(1);
    stop.abort("user stop");
    await expect(call).rejects.toThrow();
    await expect.poll(() => it.provider.requests("cheap")[0]?.aborted, { interval: 10 }).toBe(true);
    const again = await caller.ask("and now?", () => {});
    expect(again.content[0]?.text).toBe("Back again.");
  });

  test("a run that fails is an error with a reason and what to do", async () => {
    const it = await served();
    it.provider.script("cheap", { status: 401, body: '{"error":{"message":"Incorrect API key provided"}}' });
    const caller = await v1(it);
    const result = await caller.ask("hello", () => {});
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain("OPENAI_API_KEY");
    expect(JSON.stringify(result)).not.toContain("sk-test-openai-0001");
  });
});

describe("duet serve", () => {
  test("bad arguments are refused with the field's name and the server stays up", async () => {
    const it = await served();
    it.provider.script("cheap", { text: "Enough." });
    it.provider.script("strong", { text: "Fine." });
    const client = new ClientV1({ name: "test", version: "1" });
    await client.connect(new StdioV1({ command: it.command, args: it.args, env: it.env, stderr: "pipe" }));
    onTestFinished(() => client.close());
    const bad = await client.callTool({ name: "agent_ask", arguments: { question: "x", max_iterations: 11 } });
    expect(bad.isError).toBe(true);
    expect(JSON.stringify(bad.content)).toContain("max_iterations");
    const good = await client.callTool({ name: "agent_ask", arguments: { question: "x" } });
    expect(good.isError ?? false).toBe(false);
  });

  test("a conversation goes on when its id is passed back", async () => {
    const it = await served();
    it.provider.script("cheap", { text: "Enough." }, { text: "Enough." });
    it.provider.script("strong", { text: "My name is Duet." }, { text: "I said Duet." });
    const client = new ClientV1({ name: "test", version: "1" });
    await client.connect(new StdioV1({ command: it.command, args: it.args, env: it.env, stderr: "pipe" }));
    onTestFinished(() => client.close());
    const first = await client.callTool({ name: "agent_ask", arguments: { question: "Who are you?" } });
    const { conversation_id } = first.structuredContent as HostOutcome;
    await client.callTool({ name: "agent_ask", arguments: { question: "What did you say?", conversation_id } });
    expect(JSON.stringify(it.provider.requests("strong")[1]?.body.messages)).toContain("My name is Duet.");
  });

  test("stdout carries only protocol lines, and the end of stdin ends the process with 0", async () => {
    const { args, env } = await served();
    const child = await startProgram(args.slice(1), { env });
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
    const child = await startProgram(it.args.slice(1), { env: it.env });
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
    const child = await startProgram([...args.slice(1), "--locale", "en"], { env });
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
      "duet: A message from the host is not JSON-RPC and was ignored.",
      "duet: A message from the host is not JSON-RPC and was ignored.",
      expect.stringMatching(/^duet: A message from the host has 110\d+ bytes and was refused/),
    ]);
    expect(code).toBe(0);
  });

  test("a cancel reaches the tool that is running below", async () => {
    const it = await served();
    const journal = join(await temporaryFolder(), "journal");
    const config = await configFile({
      models: { functionCall: { provider: "openai", model: "cheap", baseUrl: it.provider.openaiUrl } },
      mcpServers: {
        slow: {
          command: process.execPath,
          args: [resolve("test/fakes/mcp.ts"), "--mode", "hang-on-call", "--journal", journal],
        },
      },
    });
    const { callTool, tools } = await connectV1({ ...it, args: [program, "serve", "--config", config] });
    expect(tools).toEqual(["agent_ask", "agent_result", "agent_cancel", "agent_message"]);
    it.provider.script("cheap", (request) => {
      const names = (request.body.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
      return { toolCalls: [{ name: names.find((name) => name.startsWith("slow__")) ?? "none", arguments: {} }] };
    });
    const stop = new AbortController();
    const call = callTool("hang, please", stop.signal);
    call.catch(() => {});
    const journalText = () => readFile(journal, "utf8").catch(() => "");
    await expect.poll(journalText).toContain("tools/call");
    stop.abort("user stop");
    await expect.poll(journalText, { interval: 20 }).toContain("notifications/cancelled");
  });
});

async function connectV1({ command, args, env }: Served) {
  const client = new ClientV1({ name: "test", version: "1" });
  await client.connect(new StdioV1({ command, args, env, stderr: "pipe" }));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  return {
    tools: tools.map(({ name }) => name),
    callTool: (question: string, signal: AbortSignal) =>
      client.callTool({ name: "agent_ask", arguments: { question } }, undefined, { signal }),
  };
}
