import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { collect, configFile, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { linux, requires, unix } from "../../runner/requirements.ts";

const clientInfo = { name: "test", version: "0" };
const initialize = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};
const question = { name: "agent_ask", arguments: { question: "wait for me" } };

function lineOf(message: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

function messagesIn(stdout: string) {
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function startServer() {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const models = { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } };
  const config = await configFile({ models });
  const child = await startProgram(["serve", "--config", config], { env: { OPENAI_API_KEY: "sk-test" } });
  return { provider, child };
}

/**
 * A host that reads the first answer and nothing more, while a run goes on and more answers wait than any pipe takes. The model is
 * asked once all that came before the question was answered.
 */
async function startUnread() {
  const { provider, child } = await startServer();
  const ended = once(child, "exit");
  provider.script("cheap", { text: "thinking", hang: "after-text" });
  const lines = createInterface({ input: child.stdout });
  child.stdin.write(lineOf(initialize) + lineOf({ method: "notifications/initialized" }));
  await once(lines, "line");
  lines.close();
  child.stdout.pause();
  const list = (_: unknown, index: number) => lineOf({ id: index + 1, method: "tools/list" });
  child.stdin.write(
    Array.from({ length: 300 }, list).join("") + lineOf({ id: 1000, method: "tools/call", params: question }),
  );
  await expect.poll(() => provider.requests("cheap").length).toBe(1);
  return { provider, child, ended };
}

describe("a host that reads nothing more does not keep duet serve alive", () => {
  test("when it closes stdin, with answers unsent and a run under way", async () => {
    const { provider, child, ended } = await startUnread();
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => provider.requests("cheap")[0]?.aborted).toBe(true);
  });

  test.for([
    ["SIGTERM", 0],
    ["SIGINT", 130],
  ] as const)("when %s comes, which exits with %i", async ([signal, code]) => {
    const { child, ended } = await startUnread();
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
  });

  test("when a second signal comes, which ends it at once with its own code", requires(linux), async () => {
    const { child, ended } = await startUnread();
    child.kill("SIGTERM");
    // While it waits, a second one of the same kind would be none. One alone would end it with 0.
    while (isSignalPending(child.pid ?? 0)) {}
    child.kill("SIGTERM");
    expect(await ended).toEqual([143, null]);
  });
});

/** Returns true while a signal waits for one of the process's threads to take it. */
function isSignalPending(pid: number): boolean {
  return !/^ShdPnd:\t0+$/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}

/** Returns the status of the run that a response tells, or the code of its error. */
function toEnding({ result, error }: ReturnType<typeof messagesIn>[number]): unknown {
  return result?.structuredContent.status ?? error?.code;
}

describe("a host that still reads gets its answers", () => {
  test("when it closes stdin in the same breath in which it asks", async () => {
    const { provider, child } = await startServer();
    provider.script("cheap", { text: "Here it is." });
    const finished = collect(child);
    child.stdin.end(
      lineOf(initialize) +
        lineOf({ id: 1, method: "tools/list" }) +
        lineOf({ id: 2, method: "tools/call", params: { ...question } }),
    );
    const { code, stdout } = await finished;
    const answers = messagesIn(stdout);
    expect(answers.map(({ id }) => id).sort()).toEqual([0, 1, 2]);
    // On a machine that is busy the run may not be done in time, nor its end be told: then that is its answer.
    expect(["complete", "cancelled", -32000]).toContain(toEnding(answers.find(({ id }) => id === 2)));
    expect(code).toBe(0);
  });

  // SIGTERM comes to such a run below.
  test("when SIGINT comes: the run that it cancels is told as cancelled, and it exits with 130", async () => {
    const { provider, child } = await startServer();
    provider.script("cheap", { text: "thinking", hang: "after-text" });
    const finished = collect(child);
    child.stdin.write(lineOf(initialize) + lineOf({ id: 1, method: "tools/call", params: question }));
    await expect.poll(() => provider.requests("cheap").length).toBe(1);
    child.kill("SIGINT");
    const { stdout, ...end } = await finished;
    const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect([last.id, toEnding(last)]).toEqual([1, expect.toBeOneOf(["cancelled", -32000])]);
    expect(end.code).toBe(130);
  });
});

describe("a result that follows progress is not held back for an answer to a ping that cannot come", () => {
  const withProgress = { ...question, _meta: { progressToken: 1 } };

  /** Settles when the host has read the first notification. */
  function waitForProgress({ stdout }: ChildProcessWithoutNullStreams): Promise<void> {
    return new Promise((resolve) => {
      createInterface({ input: stdout }).on("line", (line) => {
        if (JSON.parse(line).method === "notifications/progress") resolve();
      });
    });
  }

  test("when the host closes stdin after it has heard of progress", async () => {
    const { provider, child } = await startServer();
    const hasProgressed = waitForProgress(child);
    provider.script("cheap", { text: "Here it is.", hang: "after-text", until: hasProgressed });
    const finished = collect(child);
    child.stdin.write(lineOf(initialize) + lineOf({ id: 1, method: "tools/call", params: withProgress }));
    await hasProgressed;
    child.stdin.end();
    const { code, stdout } = await finished;
    const messages = messagesIn(stdout);
    expect(messages.map(({ method }) => method)).toContain("notifications/progress");
    expect(["complete", "cancelled", -32000]).toContain(toEnding(messages.at(-1)));
    expect(code).toBe(0);
  });

  test.for([true, false])("when SIGTERM comes, and the host answers pings: %s", async (answersPing) => {
    const { provider, child } = await startServer();
    provider.script("cheap", { text: "thinking", hang: "after-text" });
    const finished = collect(child);
    // The program may have ended before the answer to its ping.
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (method === "ping" && answersPing) child.stdin.write(lineOf({ id, result: {} }));
    });
    const hasProgressed = waitForProgress(child);
    child.stdin.write(lineOf(initialize) + lineOf({ id: 1, method: "tools/call", params: withProgress }));
    await hasProgressed;
    child.kill("SIGTERM");
    const { code, stdout } = await finished;
    const notifications = ["notifications/cancelled", "notifications/progress"];
    const ended = messagesIn(stdout).filter(({ method = "" }) => !notifications.includes(method));
    expect([ended.at(-1).id, toEnding(ended.at(-1))]).toEqual([1, expect.toBeOneOf(["cancelled", -32000])]);
    // Where the machine is too busy for an answer in time, nothing is asked.
    const pings = ended.filter(({ method }) => method === "ping");
    expect(pings).toEqual(pings.length === 0 ? [] : [ended.at(-2)]);
    expect(code).toBe(0);
  });
});

describe("a reader of other commands", () => {
  test("that has left ends them without an error", async () => {
    const child = await startProgram(["tools", "list", "--output", "json"]);
    const ended = once(child, "exit");
    child.stdout.destroy();
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  });

  test("that reads nothing is waited for, as a pager wants it, until a signal comes", async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.close());
    provider.script("cheap", { text: "word ".repeat(100_000) });
    const models = { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } };
    const args = ["ask", "Tell me all", "--mode", "chat", "--config", await configFile({ models })];
    const child = await startProgram(args, { env: { OPENAI_API_KEY: "sk-test" } });
    const ended = once(child, "exit");
    child.stdout.pause();
    child.stdin.end();
    await expect.poll(() => provider.requests("cheap")[0]?.endedAt).toBeDefined();
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
  });
});

test("a thread that waits for ever for a pipe does not keep the process", requires(unix), async () => {
  const pipe = join(await temporaryFolder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  const code = `
    import { open } from "node:fs";
    const { exitNow } = await import(${JSON.stringify(resolve("src/kit/process/exit.ts"))});
    open(${JSON.stringify(pipe)}, "r", () => {});
    setImmediate(() => exitNow(7, 10));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await once(child, "exit")).toEqual([7, null]);
});
