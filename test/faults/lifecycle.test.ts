// Fault group M (docs/development/faults-servers.md#m-the-life-of-our-process): the life of our process. A case's number stands
// first in its title. 144, 147 and 149 are about the HTTP side and stand in http-api.test.ts; 148 stands in
// test/cli/user-tools.test.ts.
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { allDead, processesIn, readJournal } from "../client/servers.ts";
import { collect, compileCache, configFile, type Finished, startProgram, temporaryFolder } from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";
import { linux, requires } from "../runner/requirements.ts";
import { processes } from "../tools/workers/processes.ts";

const fakeServer = resolve("test/fakes/mcp.ts");

interface Place {
  provider: FakeProvider;
  journal: string;
  config: string;
  env: Record<string, string>;
}

/** One model and fake servers, all of which write to one journal; a mode that begins with `sh:` runs behind a shell. */
async function place(...modes: string[]): Promise<Place> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const folder = await temporaryFolder();
  const journal = join(folder, "journal");
  const servers = modes.map((mode, index) => {
    const words = [process.execPath, fakeServer, "--mode", mode.replace("sh:", ""), "--journal", journal];
    const [command = "", ...args] = mode.startsWith("sh:")
      ? ["sh", "-c", `${words.map((word) => `'${word}'`).join(" ")}; true`]
      : words;
    return [`s${index}`, { command, args, env: compileCache() }] as const;
  });
  const config = await configFile({
    models: { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } },
    mcpServers: Object.fromEntries(servers),
    locale: "en",
  });
  return { provider, journal, config, env: { OPENAI_API_KEY: "sk-test-openai-0001", HOME: folder } };
}

interface Served {
  child: ChildProcessWithoutNullStreams;
  finished: Promise<Finished>;
  /** Asks `agent_ask`, and gives the id. */
  ask(question: string): number;
  cancel(id: number): void;
  /** The answer to a request. */
  answer(id: number): Promise<Record<string, unknown>>;
}

/** `duet serve`, and its host by hand. */
async function serve({ config, env }: Place): Promise<Served> {
  const child = await startProgram(["serve", "--config", config], { env });
  child.stdin.on("error", () => {});
  const finished = collect(child);
  let out = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  let last = 1;
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "0" } };
  send({ id: 1, method: "initialize", params });
  send({ method: "notifications/initialized" });
  return {
    child,
    finished,
    ask(question) {
      last += 1;
      send({ id: last, method: "tools/call", params: { name: "agent_ask", arguments: { question } } });
      return last;
    },
    cancel: (id) => send({ method: "notifications/cancelled", params: { requestId: id } }),
    answer: (id) =>
      vi.waitFor(
        () => {
          const messages = out.split("\n").slice(0, -1);
          const found = messages.map((line) => JSON.parse(line)).find((message) => message.id === id);
          if (found === undefined) throw new Error(`No answer to ${id}`);
          return found;
        },
        { timeout: 60_000, interval: 20 },
      ),
  };
}

const asked = async ({ provider }: Place, times = 1): Promise<void> =>
  expect.poll(() => provider.requests("cheap").length).toBe(times);
const left = ({ provider }: Place): Promise<void> =>
  expect.poll(() => provider.requests("cheap").at(-1)?.aborted).toBe(true);
const hasTrace = (text: string): boolean => /^\s+at /m.test(text);

describe("140: the host closes our input", () => {
  test("while a model answers: the request is dropped, all children end, and so do we", async () => {
    const it = await place("normal", "ignore-sigterm", "with-grandchild");
    it.provider.script("cheap", { text: "thinking", hang: "after-text" });
    const { child, finished, ask } = await serve(it);
    const pids = await processesIn(it.journal, 4);
    ask("wait");
    await asked(it);
    child.stdin.end();
    expect(await finished).toMatchObject({ code: 0, stderr: "" });
    await left(it);
    await allDead(pids);
  });

  test("while a tool runs: the call is cancelled below, and nothing stays", async () => {
    const it = await place("hang-on-call");
    it.provider.script("cheap", { toolCalls: [{ name: "s0__echo", arguments: {} }] });
    const { child, finished, ask } = await serve(it);
    const pids = await processesIn(it.journal, 1);
    ask("hang");
    const methods = () => readJournal(it.journal).map(({ method }) => method);
    await expect.poll(methods).toContain("tools/call");
    child.stdin.end();
    expect((await finished).code).toBe(0);
    expect(methods()).toContain("notifications/cancelled");
    await allDead(pids);
  });

  test("before it has said a word, and while servers start", async () => {
    const it = await place("never-initialize");
    const child = await startProgram(["serve", "--config", it.config], { env: it.env });
    const finished = collect(child);
    const pids = await processesIn(it.journal, 1);
    child.stdin.end();
    expect((await finished).code).toBe(0);
    await allDead(pids);
  });
});

describe("141: signals", () => {
  /** SIGTERM is how supervisors end a server; whoever asked a question sees that it got no answer. */
  const codes = { SIGINT: 130, SIGTERM: 0, SIGHUP: 129 } as const;
  const askCodes = { ...codes, SIGTERM: 143 } as const;
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

  test("SIGTERM ends an idle duet serve and its servers", async () => {
    const it = await place("normal", "with-grandchild");
    const { child, finished } = await serve(it);
    const pids = await processesIn(it.journal, 3);
    child.kill("SIGTERM");
    expect(await finished).toMatchObject({ code: codes.SIGTERM, stderr: "" });
    await allDead(pids);
  });

  test.each(signals)("%s in the middle of a run cancels it, keeps it and ends with all servers", async (signal) => {
    const it = await place("with-grandchild");
    it.provider.script("cheap", { text: "thinking", hang: "after-text" });
    const { child, finished, ask } = await serve(it);
    const pids = await processesIn(it.journal, 2);
    ask("wait for me");
    await asked(it);
    child.kill(signal);
    const { code, stderr } = await finished;
    expect(code).toBe(codes[signal]);
    expect(hasTrace(stderr)).toBe(false);
    await left(it);
    await allDead(pids);
    const { stdout } = await runWarmProgram(["conversations", "--output", "json", "--config", it.config], {
      env: it.env,
    });
    expect(stdout).toContain("wait for me");
  });

  test.each(signals)("%s ends duet ask", async (signal) => {
    const it = await place("normal");
    it.provider.script("cheap", { text: "thinking", hang: "after-text" });
    const child = await startProgram(["ask", "wait", "--config", it.config], { env: it.env });
    const finished = collect(child);
    child.stdin.end();
    await asked(it);
    child.kill(signal);
    expect((await finished).code).toBe(askCodes[signal]);
    await left(it);
  });

  test("a second one ends at once, without the patience that servers are given, and they end all the same", async () => {
    const it = await place("ignore-sigterm");
    const { child, finished } = await serve(it);
    const pids = await processesIn(it.journal, 1);
    child.kill("SIGTERM");
    // It has begun to say goodbye.
    await expect.poll(() => readJournal(it.journal).map(({ signal }) => signal)).toContain("SIGTERM");
    child.kill("SIGINT");
    expect((await finished).code).toBe(130);
    await allDead(pids);
  });
});

describe("142: SIGKILL", () => {
  test("in the middle of a run leaves no process, and a store that can be read", async () => {
    const it = await place("normal", "ignore-sigterm", "with-grandchild", "sh:ignore-sigterm");
    it.provider.script("cheap", { text: "Enough." }, { text: "thinking", hang: "after-text" });
    const { child, ask, answer } = await serve(it);
    const pids = await processesIn(it.journal, 5);
    await answer(ask("the first question"));
    ask("the second question");
    await asked(it, 2);
    child.kill("SIGKILL");
    await allDead(pids);
    const { code, stdout } = await runWarmProgram(["conversations", "--config", it.config], { env: it.env });
    expect(code).toBe(0);
    expect(stdout).toContain("the first question");
  });

  test("while servers start leaves none of them", async () => {
    const it = await place("never-initialize", "sh:never-initialize");
    const { child } = await serve(it);
    const pids = await processesIn(it.journal, 2);
    child.kill("SIGKILL");
    await allDead(pids);
  });
});

describe("143: launchers that leave the server as a grandchild", () => {
  /** The processes below one, however far. */
  function descendants(parent: number): number[] {
    const table = processes();
    const below = (pid: number): number[] =>
      table.filter((row) => row.parent === pid).flatMap((row) => [row.pid, ...below(row.pid)]);
    return below(parent);
  }

  /** A folder in which `npx` finds the fake server as an installed package. */
  async function installed(journal: string, mode: string): Promise<string> {
    const cwd = await temporaryFolder();
    const bin = join(cwd, "node_modules/.bin");
    await mkdir(bin, { recursive: true });
    const script = `#!/bin/sh\n'${process.execPath}' '${fakeServer}' --mode ${mode} --journal '${journal}'\n`;
    await writeFile(join(bin, "fake-mcp"), script, { mode: 0o755 });
    return cwd;
  }

  test.each(["SIGTERM", "SIGKILL"] as const)(
    "npx, and below it a server that ignores SIGTERM: %s of us ends all",
    async (signal) => {
      const it = await place();
      const cwd = await installed(it.journal, "ignore-sigterm");
      const server = { command: "npx", args: ["--no-install", "fake-mcp"], cwd };
      const config = await configFile({ mcpServers: { chain: server } });
      const { child, finished } = await serve({ ...it, config });
      await processesIn(it.journal, 1);
      const pids = descendants(child.pid ?? 0);
      // npx, a shell, the server, and the watcher.
      expect(pids.length).toBeGreaterThanOrEqual(4);
      child.kill(signal);
      await finished;
      await allDead(pids);
    },
  );

  test("a launcher that leaves at once takes its server along", async () => {
    const it = await place();
    const words = `'${process.execPath}' '${fakeServer}' --mode ignore-sigterm --journal '${it.journal}'`;
    // It leaves once its server runs: we end at once what a launcher leaves behind, even before it could tell of itself.
    const leaving = `${words} & until [ -s '${it.journal}' ]; do sleep 0.05; done; exit 0`;
    const config = await configFile({ mcpServers: { gone: { command: "sh", args: ["-c", leaving] } } });
    const { child, finished } = await serve({ ...it, config });
    const pids = await processesIn(it.journal, 1);
    child.stdin.end();
    expect((await finished).code).toBe(0);
    await allDead(pids);
  });
});

describe("145: whoever reads our output leaves", () => {
  test("duet ask ends quietly, stops its model and its servers", async () => {
    const it = await place("ignore-sigterm");
    const goOn = Promise.withResolvers<void>();
    it.provider.script("cheap", { text: "line\n".repeat(2_000), hang: "after-text", until: goOn.promise });
    const child = await startProgram(["ask", "talk", "--config", it.config], { env: it.env });
    const finished = collect(child);
    child.stdin.end();
    const pids = await processesIn(it.journal, 1);
    child.stdout.once("data", () => child.stdout.destroy());
    await asked(it);
    goOn.resolve();
    const { code, stderr } = await finished;
    expect(code).toBe(0);
    expect(hasTrace(stderr)).toBe(false);
    expect(stderr).not.toContain("EPIPE");
    await allDead(pids);
  });

  test("duet tools | head -1", async () => {
    const it = await place("many-tools");
    const child = await startProgram(["tools", "--output", "json", "--config", it.config], { env: it.env });
    child.stdout.once("data", () => child.stdout.destroy());
    const finished = collect(child);
    child.stdin.end();
    expect(await finished).toMatchObject({ code: 0, stderr: "" });
  });

  test("duet serve ends, though its input stays open", async () => {
    const it = await place("normal");
    it.provider.script("cheap", { text: "Enough." });
    const { child, finished, ask } = await serve(it);
    const pids = await processesIn(it.journal, 1);
    child.stdout.destroy();
    ask("anybody there?");
    const { code, stderr } = await finished;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^(?:duet: write EPIPE\n)?$/);
    await allDead(pids);
  });
});

test("146: many runs, most of them faulty, leave neither handles nor processes", {
  ...requires(linux),
  timeout: 120_000,
}, async () => {
  const it = await place("normal", "error-response", "crash-on-call");
  const { child, ask, answer, cancel } = await serve(it);
  await processesIn(it.journal, 3);
  const handles = (): number => readdirSync(`/proc/${child.pid}/fd`).length;

  async function round(): Promise<void> {
    it.provider.script("cheap", { toolCalls: [{ name: "s0__echo", arguments: {} }] }, { text: "Enough." });
    await answer(ask("a call"));
    it.provider.script("cheap", { toolCalls: [{ name: "s1__echo", arguments: {} }] }, { text: "Enough." });
    await answer(ask("a call that fails"));
    it.provider.script("cheap", { status: 401, body: '{"error":{"message":"no"}}' });
    await answer(ask("a model that refuses"));
    it.provider.script("cheap", { text: "half an ans", cut: "before-finish" });
    await answer(ask("a stream that is cut"));
    expect(it.provider.unused()).toEqual([]);
    const before = it.provider.requests("cheap").length;
    it.provider.script("cheap", { text: "thinking", hang: "after-text" });
    const id = ask("a question that is cancelled");
    await asked(it, before + 1);
    cancel(id);
    await left(it);
  }

  for (let warm = 0; warm < 2; warm++) await round();
  const before = handles();
  const children = processes().filter(({ parent }) => parent === child.pid).length;
  // One handle a round, by whichever of the faults, is twice of what may come and go.
  for (let count = 0; count < 6; count++) await round();
  // Connections that are kept for the next request come and go.
  await expect.poll(handles).toBeLessThanOrEqual(before + 3);
  expect(processes().filter(({ parent }) => parent === child.pid)).toHaveLength(children);
});
