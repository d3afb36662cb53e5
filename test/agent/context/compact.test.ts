import { expect, test } from "vitest";
import { type CompactOptions, compactConversation } from "../../../src/agent/context/compact.ts";
import { createPrompts } from "../../../src/agent/prompts/prompts.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { estimateMessageTokens } from "../../../src/providers/estimate-tokens.ts";
import { createOfflineModel } from "../../../src/providers/offline/model.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { defaultLimits, runAll } from "../../fakes/run.ts";

const never = new AbortController().signal;

function wide(turns: ScriptedTurn[], name?: string): ScriptedModel {
  return { ...scriptedModel(turns, name), contextWindow: 1_000_000, countTokens: estimateMessageTokens };
}

/** Creates a conversation of this many turns, each question of which is `Question N?`, its answer `Answer N.`. */
async function talk(turns: number) {
  const store = createMemoryStore();
  const model = wide(Array.from({ length: turns }, (_, index) => `Answer ${index + 1}.${" word".repeat(100)}`));
  const { id } = await store.create();
  const ask = (with_: ScriptedModel, question: string) =>
    runAll({ store, conversationId: id, models: { functionCall: with_, answer: with_ }, question });
  for (let turn = 1; turn <= turns; turn++) await ask(model, `Question ${turn}?`);
  return {
    store,
    id,
    ask,
    compact: (
      functionCall: ScriptedModel | ReturnType<typeof createOfflineModel>,
      more: Partial<CompactOptions> = {},
    ) =>
      compactConversation({
        conversationId: id,
        models: { functionCall, answer: functionCall },
        store,
        prompts: createPrompts(),
        limits: defaultLimits,
        locale: "en",
        signal: never,
        ...more,
      }),
  };
}

function wordsOf(model: ScriptedModel): string {
  return (model.requests.at(-1)?.messages ?? []).map(({ content }) => content).join("\n");
}

test("all turns but the last become a summary, which models then read in their place although the turns would fit", async () => {
  const { store, id, ask, compact } = await talk(4);
  const writer = wide(["The summary."]);
  const done = await compact(writer);
  expect(done).toMatchObject({
    turns: 3,
    meta: { total_tokens: 20, models: { function_call: { calls: 0 }, compact: { calls: 1 } } },
  });
  expect(done.tokensAfter).toBeLessThan(done.tokensBefore / 2);
  expect(wordsOf(writer)).toContain("Question 3?");
  expect(wordsOf(writer)).not.toContain("Question 4?");
  expect((await store.load(id))?.summary).toEqual({ text: "The summary.", turns: 3, isWanted: true });

  const next = wide(["Yes."]);
  await ask(next, "And now?");
  expect(wordsOf(next)).toContain("The summary.");
  expect(wordsOf(next)).toContain("Question 4?");
  expect(wordsOf(next)).not.toContain("Question 3?");
});

test("a second compaction reads the first summary and the turns since, and there is none without new turns", async () => {
  const { store, id, ask, compact } = await talk(3);
  await compact(wide(["First summary."]));
  await expect(compact(wide([]))).rejects.toThrow("all turns but the last are already in the summary");
  await ask(wide(["Yes."]), "Question 4?");
  const writer = wide(["Second summary."]);
  expect(await compact(writer)).toMatchObject({ turns: 3 });
  expect(wordsOf(writer)).toContain("First summary.");
  expect(wordsOf(writer)).not.toContain("Question 2?");
  expect((await store.load(id))?.summary).toMatchObject({ text: "Second summary.", turns: 3 });
});

test("a summary that stood in for turns which fit by now is made anew from the turns themselves", async () => {
  const { store, id, compact } = await talk(3);
  await store.summarise(id, { text: "A poor summary.", turns: 2 });
  const writer = wide(["A rich summary."]);
  await compact(writer);
  expect(wordsOf(writer)).toContain("Question 1?");
  expect(wordsOf(writer)).not.toContain("A poor summary.");
  expect((await store.load(id))?.summary).toEqual({ text: "A rich summary.", turns: 2, isWanted: true });
});

test.each([
  // The turns take more than a third of it, and are still few enough to be read for a summary.
  ["a summary stands for them", 1200, [100, 200]],
  ["all turns fit", 1_000_000, [400, 500]],
] as const)(
  "a compaction compares with what models read before it where %s",
  async (_, contextWindow, [least, most]) => {
    const { store, id, compact } = await talk(3);
    await store.summarise(id, { text: "A poor summary.", turns: 2 });
    const writer = { ...wide(["A rich summary."]), contextWindow };
    const { tokensBefore } = await compact(writer);
    expect(wordsOf(writer)).toContain("Question 1?");
    expect(tokensBefore).toBeGreaterThan(least);
    expect(tokensBefore).toBeLessThan(most);
  },
);

test.each([
  ["no conversation", 0, wide([]), "the conversation has 0 turns"],
  ["a single turn", 1, wide([]), "the conversation has 1 turn"],
  ["the offline rules", 2, createOfflineModel({ locale: "en" }), "is not a language model"],
  [
    "a model that fails",
    2,
    wide([{ error: new DuetError({ code: "server", text: { zh: "", en: "it broke" } }) }]),
    "it broke",
  ],
  ["a summary that is cut", 2, wide([{ text: "Half a", finish: "length" }]), "did not finish the summary (length)"],
  ["a model that refuses", 2, wide([{ text: "No.", finish: "refused" }]), "did not finish the summary (refused)"],
  ["an empty summary", 2, wide([""]), "did not finish the summary (empty)"],
])("%s is refused in one line, and the conversation stays as it was", async (_, turns, model, line) => {
  const { store, id, compact } = await talk(turns);
  const error = await compact(model).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DuetError);
  expect(String(error)).toContain(line);
  expect((await store.load(id))?.summary).toBeUndefined();
});

test("it stops at the signal, and when its time is over", async () => {
  const { compact } = await talk(2);
  const stop = new AbortController();
  const hanging = wide([{ hang: true }]);
  const stopped = compact(hanging, { signal: stop.signal });
  await expect.poll(() => hanging.requests.length).toBe(1);
  stop.abort(new Error("enough"));
  await expect(stopped).rejects.toThrow("enough");
  const limits = { ...defaultLimits, maxExecutionTimeMs: 40 };
  await expect(compact(wide([{ hang: true }]), { limits })).rejects.toThrow("timed out");
});
