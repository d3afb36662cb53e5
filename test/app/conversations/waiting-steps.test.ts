import { expect, test } from "vitest";
import { withWaitingSteps } from "../../../src/app/conversations/waiting-steps.ts";
import type { NewStep, RunJournal } from "../../../src/core/store/journal.ts";

/** A journal that writes down what it is handed over, a line for each turn of the event loop. */
function openJournal({ failsAt }: { failsAt?: string } = {}) {
  const lines: string[][] = [];
  const stored = Promise.withResolvers<void>();
  let line: string[] | undefined;
  const note = (word: string): void => {
    if (line === undefined) {
      line = [];
      lines.push(line);
      setImmediate(() => {
        line = undefined;
      });
    }
    line.push(word);
    stored.resolve();
  };
  const journal: RunJournal = {
    runId: "run-1",
    async add({ name }) {
      note(name);
      if (name === failsAt) throw new Error("disk full");
    },
    addEvents: async (from) => note(`event ${from}`),
    forbid: async (reason) => note(reason),
  };
  return { journal: withWaitingSteps(journal), lines, stored: stored.promise };
}

const toStep = (name: string, mayWait = false): NewStep => ({ name, spentMs: 1, data: true, mayWait });

test("a step that may wait is stored with the next one that may not, before it and at once with it", async () => {
  const { journal, lines } = openJournal();
  await journal.add(toStep("turn", true));
  await journal.add(toStep("call", true));
  expect(lines).toEqual([]);
  await journal.add(toStep("question"));
  expect(lines).toEqual([["turn", "call", "question"]]);
});

test("no event is stored before the steps that led to it", async () => {
  const { journal, lines } = openJournal();
  await journal.add(toStep("turn", true));
  await journal.addEvents(7, []);
  expect(lines).toEqual([["turn", "event 7"]]);
});

test("a step that waits is stored soon where nothing comes", async () => {
  const { journal, lines, stored } = openJournal();
  await journal.add(toStep("turn", true));
  await stored;
  expect(lines).toEqual([["turn"]]);
});

test("after a step that could not be stored none is stored, whether it may wait or not", async () => {
  const { journal, lines } = openJournal({ failsAt: "turn" });
  await journal.add(toStep("turn", true));
  await journal.addEvents(0, []);
  await expect(journal.add(toStep("call", true))).rejects.toThrow("disk full");
  await expect(journal.add(toStep("question"))).rejects.toThrow("disk full");
  expect(lines).toEqual([["turn", "event 0"]]);
});

test("what waits is forgotten with the end of the run, and with the end that somebody wanted", async () => {
  const { journal, lines } = openJournal();
  await journal.add(toStep("turn", true));
  journal.end?.();
  await journal.add(toStep("call", true));
  await journal.forbid("stopped");
  expect(lines).toEqual([["stopped"]]);
});
