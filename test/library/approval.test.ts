import { expect, onTestFinished, test, vi } from "vitest";
import { type ApproveCall, createDuet, defineTool, type OwnTool } from "../../src/index.ts";
import { type ScriptedTurn, scriptedModel } from "../fakes/model.ts";

const erased: string[] = [];

const erase: OwnTool = defineTool({
  name: "erase",
  description: "Erases a table.",
  inputSchema: { properties: { table: { type: "string" } }, required: ["table"], additionalProperties: false },
  annotations: { destructive: true },
  run: ({ table }) => {
    erased.push(String(table));
    return `erased ${table}`;
  },
});

function erasing(table: string | number, id = "1"): ScriptedTurn {
  return [{ id, name: "erase", input: { table } }];
}

async function ask(turns: ScriptedTurn[], approveCall?: ApproveCall, tools: object = {}) {
  erased.length = 0;
  const model = scriptedModel(turns);
  const duet = await createDuet({
    models: { functionCall: model },
    tools: [erase],
    config: { search: { enabled: false }, locale: "en", tools },
  });
  onTestFinished(() => duet.close());
  const outcome = await duet.ask("Erase it", approveCall && { approveCall });
  return { outcome, model };
}

test("a program is asked about a call with its arguments and rule, and its yes lets it run", async () => {
  const asked: unknown[] = [];
  const { outcome } = await ask([erasing("old"), "Done."], async (request) => {
    asked.push(request);
    return "once";
  });
  expect(asked).toEqual([
    { tool: "erase", arguments: { table: "old" }, rule: "tools.ask: *:destructive", onlyOnce: false },
  ]);
  expect(erased).toEqual(["old"]);
  expect(outcome.tool_calls).toMatchObject([{ ok: true, result: "erased old" }]);
});

test("no program, no call", async () => {
  const { outcome } = await ask([erasing("old"), "Not done."]);
  expect(erased).toEqual([]);
  expect(outcome.tool_calls).toMatchObject([{ ok: false }]);
});

test("wrong arguments are sent back without a question", async () => {
  const { model } = await ask([erasing(7), "Not done."], async () => expect.unreachable());
  expect(erased).toEqual([]);
  expect(model.requests[1]?.messages.at(-1)?.content).toContain("table: must be a string");
});

test("a yes for the conversation holds for its other calls; what is denied is not even asked about", async () => {
  let questions = 0;
  const agree: ApproveCall = async () => {
    questions += 1;
    return "conversation";
  };
  const turns = [erasing("old", "1"), erasing("older", "2"), erasing("kept", "3"), "Done."];
  const { outcome } = await ask(turns, agree, { deny: ["erase(kept)"] });
  expect(questions).toBe(1);
  expect(erased).toEqual(["old", "older"]);
  expect(outcome.tool_calls.map(({ ok }) => ok)).toEqual([true, true, false]);
});

test("who throws instead of answering has not agreed", async () => {
  const { outcome } = await ask([erasing("old"), "Not done."], async () => {
    throw new Error("the window is gone");
  });
  expect(erased).toEqual([]);
  expect(outcome.tool_calls).toMatchObject([{ ok: false, result: "the window is gone" }]);
});

test("a cancel while a person thinks ends the run, and nothing runs", async () => {
  const stop = new AbortController();
  const model = scriptedModel([erasing("old")]);
  const duet = await createDuet({ models: { functionCall: model }, tools: [erase], config: { locale: "en" } });
  onTestFinished(() => duet.close());
  erased.length = 0;
  const outcome = await duet.ask("Erase it", {
    signal: stop.signal,
    approveCall: () => {
      stop.abort();
      return new Promise(() => {});
    },
  });
  expect(outcome.status).toBe("cancelled");
  expect(erased).toEqual([]);
});

test("what a person takes to think is no time of the tool's", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { outcome } = await ask([erasing("old"), "Done."], async () => {
    vi.advanceTimersByTime(60_000);
    return "once";
  });
  expect(erased).toEqual(["old"]);
  expect(outcome.tool_calls[0]?.elapsed_ms).toBeLessThan(30_000);
});
