// Every client over every transport, on the built program: the same promises.
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostOutcome } from "../../../src/server/mcp/agent/host-outcome.ts";
import { type CallSettings, type Host, hosts, type Result, type Served } from "./gateway/hosts.ts";
import { type ServedDuet, serveDuet } from "./matrix-served.ts";

let duet: ServedDuet;
let byHttp: Served;
beforeAll(async () => {
  duet = await serveDuet();
  byHttp = await duet.overHttp();
});
afterAll(() => duet.close());

const transports: [string, () => Served][] = [
  ["stdio", () => duet.overStdio],
  ["HTTP", () => byHttp],
];

const rows = transports.flatMap(([transport, served]) =>
  hosts.map(([name, connect]) => ({ name, transport, connect, served })),
);

function outcomeOf({ structuredContent }: Result): HostOutcome {
  return structuredContent as HostOutcome;
}

describe.each(rows)("$name over $transport", ({ connect, served, name, transport }) => {
  let host: Host;
  /** What the user says to a question. */
  let reply: Record<string, unknown>;
  let asked: string[] = [];
  beforeAll(async () => {
    const onQuestion = ({ message }: Record<string, unknown>) => {
      asked.push(String(message));
      return reply;
    };
    host = await connect({ ...served(), onQuestion });
  });
  afterAll(() => host.close());

  /** No question is that of another row, whose run would be met again. */
  function ask(question: string, more: Record<string, unknown> = {}, settings: CallSettings = {}): Promise<Result> {
    return host.call("agent_ask", { question: `${question} (${name}, ${transport})`, ...more }, settings);
  }

  /** Requests of the model from now on. */
  function watchModel() {
    const before = duet.provider.requests("cheap").length;
    return () => duet.provider.requests("cheap").slice(before);
  }

  test("lists what there is", async () => {
    const tools = (await host.listTools()).map(({ name }) => name);
    expect(tools).toEqual(["agent_ask", "agent_result", "agent_cancel", "agent_message"]);
    expect((await host.listPrompts()).map(({ name }) => name)).toEqual(["ask", "plan"]);
    expect(await host.listResources()).toBeInstanceOf(Array);
  });

  test("progress comes before the end, rises and can be read; the result fits its schema", async () => {
    const begun = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    const progress: { progress: number; message?: string }[] = [];
    const toolCalls = [{ name: "calculator", arguments: { expression: "2+3" } }];
    duet.provider.script(
      "cheap",
      { text: "I will add them.", toolCalls, hang: "after-text", until: begun.promise },
      { text: "The sum is five.", hang: "after-text", until: told.promise },
    );
    const result = await ask(
      "What is 2 + 3?",
      {},
      {
        onprogress(one) {
          progress.push(one);
          begun.resolve();
          if (one.message?.includes("calculator")) told.resolve();
        },
      },
    );
    expect(result.isError ?? false).toBe(false);
    expect(result.content[0]).toMatchObject({ type: "text", text: "The sum is five." });
    expect(outcomeOf(result)).toMatchObject({ status: "complete", response: "The sum is five." });
    expect(outcomeOf(result).tool_calls).toMatchObject([{ tool: "calculator", ok: true }]);

    const numbers = progress.map(({ progress: number }) => number);
    expect(numbers.length).toBeGreaterThan(1);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(progress.map(({ message }) => message).join("\n")).toContain("openai/cheap");
    const first = progress.find(({ message }) => message !== "⏳ received");
    expect(first?.message).toMatch(new RegExp(`^(⏳ received  ·  )?🆔 ${outcomeOf(result).run_id}(  ·  🧭|$)`));
    for (const { message } of progress) expect(message).toMatch(/^[^\p{Cc}]+$/u);

    const schema = (await host.listTools()).find((tool) => tool.name === "agent_ask")?.outputSchema;
    const validate = new Ajv2020().compile(schema as object);
    validate(result.structuredContent);
    expect(validate.errors).toBe(null);
  });

  test("a cancel closes the model's request", async () => {
    const requests = watchModel();
    duet.provider.script("cheap", { text: "thinking", hang: "after-text" });
    const stop = new AbortController();
    const call = ask("wait", {}, { signal: stop.signal });
    call.catch(() => {});
    await expect.poll(() => requests().length).toBe(1);
    stop.abort("user stop");
    await expect(call).rejects.toThrow();
    await expect.poll(() => requests()[0]?.aborted, { interval: 10 }).toBe(true);
  });

  test.each([
    ["yes", { action: "accept", content: {} }, 1, "That is all."],
    ["no", { action: "decline" }, 0, "That is all."],
    [
      "nothing",
      { action: "cancel" },
      0,
      "That is all.\n\nℹ pour needs consent and the question was dismissed without a decision, so it was not run.",
    ],
  ])(
    "a dangerous tool is asked about; when its user says %s it runs as often as that",
    async (word, said, times, response) => {
      reply = said;
      asked = [];
      const cup = `${word} ${name} ${transport}`;
      duet.provider.script("cheap", { toolCalls: [{ name: "pour", arguments: { cup } }] }, { text: "That is all." });
      const result = await ask(`Pour for ${word}`);
      expect(outcomeOf(result)).toMatchObject({ status: "complete", response });
      expect(asked).toEqual([expect.stringContaining(cup)]);
      expect((await duet.poured()).filter((each) => each === cup)).toHaveLength(times);
    },
  );

  test("a run that is not done in time goes on; the question asked again meets it, and agent_result has its end", async () => {
    const requests = watchModel();
    const done = Promise.withResolvers<void>();
    duet.provider.script("cheap", { text: "Slowly, but well.", hang: "after-text", until: done.promise });
    const first = await ask("Take your time", { wait_s: 0.3 });
    expect(first.isError ?? false).toBe(false);
    const { status, run_id } = outcomeOf(first);
    expect(status).toBe("running");
    expect(run_id).toMatch(/^run-/);
    expect(first.content[0]).toMatchObject({ text: expect.stringContaining("agent_result") });
    const again = await ask("Take your time", { wait_s: 0 });
    expect(outcomeOf(again)).toMatchObject({ status: "running", run_id });
    const ending = host.call("agent_result", { run_id, wait_s: 30 });
    done.resolve();
    expect(outcomeOf(await ending)).toMatchObject({ status: "complete", response: "Slowly, but well.", run_id });
    expect(requests()).toHaveLength(1);
  });
});
