// The official TypeScript SDK from its first release on, without a framework around it; its newest releases are tried in
// matrix.test.ts. scripts/interop drives other clients.
import { readFileSync } from "node:fs";
import { Client as Client1_0 } from "mcp-sdk-1.0/client/index.js";
import { StdioClientTransport as Stdio1_0 } from "mcp-sdk-1.0/client/stdio.js";
import { Client as Client1_11 } from "mcp-sdk-1.11/client/index.js";
import { StdioClientTransport as Stdio1_11 } from "mcp-sdk-1.11/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toText } from "../../../src/kit/json.ts";
import type { HostOutcome } from "../../../src/server/mcp/agent/host-outcome.ts";
import type { FakeTurn, JournalEntry } from "../../fakes/provider.ts";
import type { CallSettings, Connect, Host, Result } from "./gateway/hosts.ts";
import { type ServedDuet, serveDuet } from "./matrix-served.ts";

/** A client of the revisions in which nobody can be asked. */
type EarlyHost = Pick<Host, "listTools" | "listPrompts" | "listResources" | "call" | "close">;

interface Sdk {
  /** As package.json names it. */
  name: string;
  connect: (options: Parameters<Connect>[0]) => Promise<EarlyHost>;
}

const sdks: Sdk[] = [
  { name: "mcp-sdk-1.0", connect: connectEarly(Client1_0, Stdio1_0) },
  { name: "mcp-sdk-1.11", connect: connectEarly(Client1_11, Stdio1_11) },
];

const rows = sdks.map((sdk) => ({ ...sdk, version: readVersion(sdk.name) }));

function readVersion(name: string): string {
  const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  return { ...dependencies, ...devDependencies }[name].replace(/.*@/, "");
}

interface EarlySdk<Transport> {
  Client: new (
    info: { name: string; version: string },
    options: { capabilities: Record<string, never> },
  ) => {
    connect(transport: Transport): Promise<void>;
    listTools(): Promise<{ tools: object[] }>;
    listPrompts(): Promise<{ prompts: object[] }>;
    listResources(): Promise<{ resources: object[] }>;
    callTool(params: object, schema: undefined, settings: object): Promise<object>;
    close(): Promise<void>;
  };
  Stdio: new (server: { command: string; args: string[]; env: Record<string, string>; stderr: "pipe" }) => Transport;
}

function connectEarly<Transport>(
  Client: EarlySdk<Transport>["Client"],
  Stdio: EarlySdk<Transport>["Stdio"],
): Sdk["connect"] {
  return async (served) => {
    if ("url" in served) throw new Error("the first releases have no Streamable HTTP");
    const client = new Client({ name: "test", version: "0" }, { capabilities: {} });
    await client.connect(new Stdio({ ...served, stderr: "pipe" }));
    return {
      listTools: async () => (await client.listTools()).tools as never,
      listPrompts: async () => (await client.listPrompts()).prompts as never,
      listResources: async () => (await client.listResources()).resources as never,
      call: async (name, args = {}, settings = {}) =>
        (await client.callTool({ name, arguments: args }, undefined, settings)) as Result,
      close: () => client.close(),
    };
  };
}

/** How the model takes part; the first word of a question chooses. */
const turns: Record<string, (asked: { version: string; hasResult: boolean }) => FakeTurn> = {
  answer: () => ({ text: "It is five." }),
  calculate: ({ version, hasResult }) =>
    hasResult
      ? { text: "It is five.", hang: "after-text", until: progressed.get(version)?.promise }
      : { text: "I will add them.", toolCalls: [{ name: "calculator", arguments: { expression: "2+3" } }] },
  pour: ({ version, hasResult }) =>
    hasResult ? { text: "It is full." } : { toolCalls: [{ name: "pour", arguments: { cup: version } }] },
  linger: ({ version }) => ({ text: "It is late.", hang: "after-text", until: endings.get(version)?.promise }),
  hang: () => ({ text: "It is", hang: "after-text" }),
};

/** When the model may end its turn for `linger`. */
const endings = new Map(rows.map(({ version }) => [version, Promise.withResolvers<void>()]));

/** When the host has heard of progress three times, so that `calculate` may end. */
const progressed = new Map(rows.map(({ version }) => [version, Promise.withResolvers<void>()]));

function reply({ body }: JournalEntry): FakeTurn {
  const messages = body.messages as { role: string; content: unknown }[];
  const asked = messages.map(({ content }) => toText(content)).join("\n");
  const [, scenario = "", version = ""] = /(\w+) for SDK ([\d.]+)/.exec(asked) ?? [];
  return turns[scenario]?.({ version, hasResult: messages.at(-1)?.role === "tool" }) ?? { text: "" };
}

let duet: ServedDuet;
beforeAll(async () => {
  duet = await serveDuet({ window: 1 });
  duet.provider.script("cheap", ...rows.flatMap(() => Object.keys(turns).flatMap(() => [reply, reply])));
});
afterAll(() => duet.close());

describe.concurrent.each(rows)("the official SDK $version over stdio", ({ connect, version }) => {
  let host: EarlyHost;
  beforeAll(async () => {
    host = await connect(duet.overStdio);
  });
  afterAll(() => host.close());

  /** Asks as a host that waits for as long as the run takes; `wait_s` is stronger than the window of the configuration. */
  function ask(scenario: string, settings: CallSettings = {}): Promise<Result> {
    const question = `${scenario} for SDK ${version}`;
    // No run ends by its own limit of time before the test has given up.
    return host.call("agent_ask", { question, wait_s: 300, timeout_s: 300 }, settings);
  }

  test("lists what there is", async () => {
    expect((await host.listTools()).map(({ name }) => name)).toEqual([
      "agent_ask",
      "agent_result",
      "agent_cancel",
      "agent_message",
    ]);
    expect((await host.listPrompts()).map(({ name }) => name)).toEqual(["ask", "plan"]);
    expect(await host.listResources()).toBeInstanceOf(Array);
  });

  test("gets an answer as text and as an object", async () => {
    const result = await ask("answer");
    expect(result.content).toEqual([{ type: "text", text: "It is five." }]);
    expect(outcomeOf(result)).toMatchObject({ status: "complete", response: "It is five." });
  });

  test("gets progress that rises", async () => {
    const progress: number[] = [];
    const onprogress = (one: { progress: number }) => {
      if (progress.push(one.progress) === 3) progressed.get(version)?.resolve();
    };
    const result = await ask("calculate", { onprogress });
    expect(outcomeOf(result).tool_calls).toMatchObject([{ tool: "calculator", ok: true }]);
    expect(progress.length).toBeGreaterThan(2);
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
  });

  test("learns that a run goes on which takes longer than the window, and gets its end by agent_result", async () => {
    const first = await host.call("agent_ask", { question: `linger for SDK ${version}` });
    const { status, run_id } = outcomeOf(first);
    expect(status).toBe("running");
    expect(first.content).toMatchObject([{ text: expect.stringContaining(`agent_result {"run_id":"${run_id}"}`) }]);
    endings.get(version)?.resolve();
    const last = await host.call("agent_result", { run_id, wait_s: 300 });
    expect(last.content).toEqual([{ type: "text", text: "It is late." }]);
    expect(outcomeOf(last)).toMatchObject({ status: "complete", run_id });
  });

  // Of tests that run side by side only their own `expect` knows to which one a poll belongs.
  test("stops the model by its cancel", async ({ expect }) => {
    const findRequest = () =>
      duet.provider.journal.find(({ body }) => JSON.stringify(body).includes(`hang for SDK ${version}`));
    const stop = new AbortController();
    const call = ask("hang", { signal: stop.signal });
    call.catch(() => {});
    await expect.poll(findRequest, { interval: 10 }).toBeDefined();
    stop.abort("user stop");
    await expect(call).rejects.toThrow();
    await expect.poll(() => findRequest()?.aborted, { interval: 10 }).toBe(true);
  });

  test("has a dangerous call confirmed by token", async () => {
    const { status, confirmation } = outcomeOf(await ask("pour"));
    expect(status).toBe("needs_confirmation");
    expect(await duet.poured()).not.toContain(version);
    const result = await host.call("agent_ask", { question: "yes", confirmation: confirmation?.token, wait_s: 300 });
    expect(outcomeOf(result)).toMatchObject({ status: "complete", response: "It is full." });
    expect((await duet.poured()).filter((cup) => cup === version)).toHaveLength(1);
  });
});

function outcomeOf({ structuredContent }: Result): HostOutcome {
  return structuredContent as HostOutcome;
}
