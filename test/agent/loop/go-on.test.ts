import { expect, test } from "vitest";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";
import { finishedRun } from "../../store/runs.ts";

const count = { id: "1", name: "count", input: { to: 3 } };

test("a run that goes on with the last one makes none of its calls again, but those that failed there", async () => {
  const store = createMemoryStore();
  const { id } = await store.create();
  const failed = { ...count, id: "2", input: { to: 4 } };
  const toolCalls = [count, failed].map(({ input, ...call }) => ({
    ...call,
    arguments: input,
    argumentsText: JSON.stringify(input),
  }));
  const results = [true, false].map((ok, index) => {
    return { role: "tool" as const, callId: String(index + 1), tool: "count", content: "counted", ok };
  });
  const { turn, ...run } = finishedRun(id, "Count");
  const steps = [{ message: { role: "assistant" as const, content: "", toolCalls }, results }];
  await store.append({ ...run, turn: { question: "Count", answer: "Partly.", ...turn, steps } });
  const counted: unknown[] = [];
  const tools = [
    makeTool("count", (args) => {
      counted.push(args);
      return { ok: true, text: "counted well enough to go on" };
    }),
  ];
  for (const goesOn of [true, false]) {
    const model = scriptedModel([[count, failed], "Done."]);
    const models = { functionCall: model, answer: model };
    const events = await runAll({ models, tools, store, conversationId: id, goesOn, question: "Go on" });
    expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "Done." });
  }
  expect(counted).toEqual([{ to: 4 }, { to: 3 }, { to: 4 }]);
});
