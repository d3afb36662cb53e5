import { expect, onTestFinished, test } from "vitest";
import { createGivenHistories } from "../../../src/app/conversations/given-history.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { finishedRun } from "../../store/runs.ts";

async function open(turns: ScriptedTurn[]) {
  const model = scriptedModel(turns);
  const config = await loadConfig({}, {}, "/nowhere", { name: "test", settings: { locale: "en" } });
  const duet = await openDuet(
    { ...config, conversations: { ...config.conversations, store: "memory" } },
    {
      models: { functionCall: model, answer: model },
    },
  );
  onTestFinished(() => duet.close());
  /** Asks `question` after `history`, as question, answer, question ... */
  const ask = async (question: string, history: [string, string][] = [], owner?: string) => {
    const turns = history.map(([question, answer]) => ({ question, answer }));
    return outcomeOf(await Array.fromAsync(duet.ask({ question, mode: "chat", history: turns, caller: { owner } })));
  };
  return { ask, duet, model };
}

test("whoever brings a conversation back goes on with it, branch by branch; it stands in no list", async () => {
  const { ask, duet } = await open(["Hello.", "One.", "Two.", "Three."]);
  const first = await ask("Hi");
  const one = await ask("Count", [["Hi", " Hello.\n"]]);
  const again = await ask("Count", [["Hi", "Hello."]]);
  expect([one.conversation_id, again.conversation_id]).toEqual([first.conversation_id, first.conversation_id]);
  const other = await ask("Count", [["Hi", "Good day."]]);
  expect(other.conversation_id).not.toBe(first.conversation_id);
  expect(await (await duet.store()).list({ limit: 10, offset: 0 })).toEqual([]);
  expect(await (await duet.store()).trace()).toBeUndefined();
});

test("nothing stands behind another owner's words, nor behind a first question that failed", async () => {
  const error = new DuetError({ code: "auth", text: { zh: "坏了", en: "it broke" } });
  const { ask } = await open([{ error }, "Hello.", "Hello.", "One."]);
  const failed = await ask("Hi");
  const first = await ask("Hi");
  const second = await ask("Hi");
  const ids = [failed, first, second].map(({ conversation_id }) => conversation_id);
  expect(new Set(ids).size).toBe(3);
  const theirs = await ask("Count", [["Hi", "Hello."]], "somebody");
  expect(ids).not.toContain(theirs.conversation_id);
});

test("what a run did is known to its owner alone, and stands in no store", async () => {
  const { ask, duet } = await open(["Hello."]);
  const { run_id } = await ask("Hi", [], "anna");
  expect(await duet.trace(run_id, { owner: "anna" })).toMatchObject({ run_id, final_answer: "Hello." });
  expect([await duet.trace(run_id, { owner: "ben" }), await duet.trace(run_id)]).toEqual([undefined, undefined]);
  expect(await (await duet.store({ owner: "anna" })).trace(run_id)).toBeUndefined();
});

test("one owner's words, however many, have no other's forgotten", async () => {
  const histories = createGivenHistories({ most: 10, mostText: 100_000 });
  const kept = createMemoryStore();
  const open = (owner: string, question: string) => {
    const turns = [{ question, answer: "" }];
    return {
      first: histories.open([], { caller: { owner }, kept }),
      again: () => histories.open(turns, { caller: { owner }, kept }).known.id,
    };
  };
  async function tell(owner: string, question: string): Promise<() => boolean> {
    const { first, again } = open(owner, question);
    const run = finishedRun(first.known.id, question, "");
    await first.store.append({ ...run, trace: { ...run.trace, final_answer: "" } });
    return () => again() === first.known.id;
  }
  const theirs = await tell("ben", "Hi");
  const many = [];
  for (let n = 0; n < 50; n += 1) many.push(await tell("anna", `Question ${n}`));
  expect(theirs()).toBe(true);
  expect(many.map((isKnown) => isKnown()).filter(Boolean)).toHaveLength(5);
  await tell("anna", "x".repeat(99_999));
  expect(theirs()).toBe(true);
});
