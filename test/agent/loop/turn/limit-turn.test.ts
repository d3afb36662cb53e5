import { expect, test } from "vitest";
import { limitTurn, longestTurn } from "../../../../src/agent/loop/turn/limit-turn.ts";
import { type ModelEvent, noUsage, replaceStream } from "../../../../src/core/model/model.ts";
import { scriptedModel } from "../../../fakes/model.ts";
import { runAll } from "../../../fakes/run.ts";

/** Sends this many pieces of a million characters, whatever it was asked. */
function wordyModel(pieces: number) {
  return replaceStream(scriptedModel([]), async (_, onEvent) => {
    for (let count = 0; count < pieces; count++) onEvent({ type: "text-delta", text: "word ".repeat(200_000) });
    return { message: { role: "assistant", content: "", toolCalls: [] }, finish: "stop", usage: noUsage };
  });
}

test("a model that writes on and on is read no further, and what it has said stands as a partial answer", async () => {
  const model = wordyModel(1_000_000);
  const end = (await runAll({ models: { functionCall: model, answer: model }, mode: "chat" })).at(-1);
  const outcome = end?.type === "run-end" ? end.outcome : undefined;
  expect(outcome).toMatchObject({ status: "partial", error: { code: "bad_response" } });
  expect(outcome?.error?.message).toContain("more than 4,000,000 characters");
  expect(outcome?.response.length).toBeLessThanOrEqual(longestTurn);
});

test("a long turn passes as it is", async () => {
  const model = wordyModel(3);
  const events: ModelEvent[] = [];
  const keep = limitTurn((event) => void events.push(event), "fake/wordy");
  await model.stream({ messages: [], tools: [] }, keep, AbortSignal.timeout(20_000));
  expect(events).toHaveLength(3);
});
