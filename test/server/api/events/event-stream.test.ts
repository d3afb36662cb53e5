import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../../src/core/run/events.ts";
import { Channel } from "../../../../src/kit/async/channel.ts";
import { startRun } from "../../../../src/runs/live/start-run.ts";
import { defaultTimes } from "../../../../src/server/api/api-context.ts";
import { createFrames, type TakeFrames } from "../../../../src/server/api/events/event-frames.ts";
import { type EventStreamOptions, streamEvents } from "../../../../src/server/api/events/event-stream.ts";
import { readStreamData } from "../../../fakes/event-stream.ts";

/** A run that does what it is told. */
function toldRun() {
  const channel = new Channel<AgentEvent>();
  const run = startRun({
    id: "run-1",
    key: "key",
    caller: {},
    locale: "en",
    request: { question: "Hello" },
    canAsk: () => false,
    patienceMs: 60_000,
    ask: () => channel,
    onEnd() {},
  });
  return {
    run,
    tell: (text: string) => channel.push({ type: "answer-delta", text }),
    push: (...events: AgentEvent[]) => {
      for (const event of events) channel.push(event);
    },
    fail: () => channel.close(),
    end: () => channel.push({ type: "run-end", outcome: { ...run.snapshot(), status: "complete" } }),
  };
}

/** Reads as the server's sender does: on and on. */
async function readAll(options: Partial<EventStreamOptions> & Pick<EventStreamOptions, "run">): Promise<string> {
  const connection = { drained: async () => {}, drop() {} };
  const rest = { from: 0, connection, takeFrames: createFrames(), times: defaultTimes, onClose() {} };
  let text = "";
  for await (const piece of streamEvents({ ...rest, ...options })) text += Buffer.from(piece).toString("utf8");
  return text;
}

function idsIn(text: string): number[] {
  return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("tell" as const), count: fc.integer({ min: 1, max: 20 }) }),
  fc.record({
    kind: fc.constant("read" as const),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    slow: fc.boolean(),
  }),
  fc.constant({ kind: "wait" as const }),
);

test("whenever a reader comes, from wherever it goes on and however slowly it reads, it gets each event once and in order", async () => {
  const script = fc.array(step, { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const { run, tell, end } = toldRun();
      const takeFrames = createFrames();
      const open = Promise.withResolvers<void>();
      const readers: { from: number; text: Promise<string> }[] = [];
      for (const each of steps) {
        if (each.kind === "tell") for (let at = 0; at < each.count; at++) tell("x".repeat(1 + ((at * 997) % 3000)));
        else if (each.kind === "wait") await new Promise(setImmediate);
        else {
          const from = Math.floor(each.share * run.events.length);
          const connection = { drained: () => (each.slow ? open.promise : Promise.resolve()), drop() {} };
          readers.push({ from, text: readAll({ run, from, takeFrames, connection }) });
        }
      }
      end();
      open.resolve();
      for (const { from, text } of readers) {
        const ids = idsIn(await text);
        expect(ids).toEqual(run.events.map((_, index) => index + 1).slice(from));
      }
    }),
    { numRuns: 40 },
  );
});

test("nothing is made for a reader who does not take what was given", async () => {
  const { run, tell, end } = toldRun();
  let made = 0;
  const frames = createFrames();
  const takeFrames: TakeFrames = (...where) => {
    made += 1;
    return frames(...where);
  };
  const taken = Promise.withResolvers<void>();
  const all = readAll({ run, takeFrames, connection: { drained: () => taken.promise, drop() {} } });
  for (let at = 0; at < 1000; at++) tell("x".repeat(1000));
  await new Promise(setImmediate);
  expect(made).toBe(0);
  end();
  taken.resolve();
  expect(idsIn(await all)).toHaveLength(1001);
});

test("a piece for one reader is the same for all who are as far", async () => {
  const { run, tell, end } = toldRun();
  const takeFrames = createFrames();
  const pieces = new Set<unknown>();
  const spied: TakeFrames = (...where) => {
    const frames = takeFrames(...where);
    pieces.add(frames);
    return frames;
  };
  const readers = [1, 2, 3].map(() => readAll({ run, takeFrames: spied }));
  for (let at = 0; at < 5; at++) {
    tell("word");
    await new Promise(setImmediate);
  }
  end();
  const [first, ...others] = await Promise.all(readers);
  expect(others).toEqual([first, first]);
  expect(pieces.size).toBe(6);
});

test("a reader who is still not through some time after the end is dropped", async () => {
  const { run, tell, end } = toldRun();
  for (let at = 0; at < 300; at++) tell("x".repeat(1000));
  end();
  await run.waitForChange(AbortSignal.timeout(20_000));
  let drops = 0;
  const connection = {
    drained: () => new Promise<void>(setImmediate),
    drop() {
      drops += 1;
    },
  };
  const text = await readAll({ run, connection, times: { ...defaultTimes, rest: 0 } });
  expect(drops).toBe(1);
  expect(text).not.toContain("run-end");
});

test("of a run that never began, the end is told all the same", async () => {
  const { run, fail } = toldRun();
  const text = readAll({ run });
  fail();
  expect(await text).toMatch(/^retry: 1000\n\nevent: run-end\ndata: \{.*"status":"failed".*\}\n\n$/);
});

test("no text of a run can end its line or a field of the stream", async () => {
  const { run, tell, end } = toldRun();
  tell("a\r\nid: 9\n\ndata: x\u2028\u0085\u001b[2J");
  end();
  const text = await readAll({ run });
  expect(idsIn(text)).toEqual([1, 2]);
  expect(text).not.toMatch(/[\r\u0085\u2028\u001b]/);
  const [data] = readStreamData(text);
  expect(JSON.parse(data ?? "").text).toBe("a\r\nid: 9\n\ndata: x\u2028\u0085\u001b[2J");
});

/** The names and data of all frames but the comments. */
function framesIn(text: string): string[] {
  return [...text.matchAll(/^(?:id: (\d+)\n)?event: (\S+)\ndata: ([^\n]*)$/gm)].map(
    ([, id = "-", event, data = "{}"]) => {
      const { text: said = "", kept = "" } = JSON.parse(data);
      return `${id} ${event} ${said}${kept}`;
    },
  );
}

test("who asks for drafts gets them without numbers, who comes late gets what there is, and all get the same events", async () => {
  const { run, push, end } = toldRun();
  const [early, plain] = [readAll({ run, drafts: true }), readAll({ run })];
  push({ type: "draft-start", draft: 1, step: 1 }, { type: "draft-delta", draft: 1, text: "It " });
  await new Promise(setImmediate);
  push({ type: "draft-delta", draft: 1, text: "is" });
  await new Promise(setImmediate);
  const late = readAll({ run, drafts: true });
  await new Promise(setImmediate);
  push({ type: "draft-end", draft: 1, kept: "answer" }, { type: "answer-delta", text: "It is." });
  await new Promise(setImmediate);
  const after = readAll({ run, drafts: true });
  end();
  const settled = ["1 answer-delta It is.", "2 run-end "];
  expect(framesIn(await early)).toEqual([
    "- draft-start ",
    "- draft-delta It ",
    "- draft-delta is",
    "- draft-end answer",
    ...settled,
  ]);
  expect(framesIn(await late)).toEqual(["- draft-start ", "- draft-delta It is", "- draft-end answer", ...settled]);
  expect(framesIn(await after)).toEqual(settled);
  expect(framesIn(await plain)).toEqual(settled);
  expect(run.events.map(({ type }) => type)).toEqual(["answer-delta", "run-end"]);
});

test("a reader who is too slow for a draft gets what it was, and no draft", async () => {
  const { run, push, end } = toldRun();
  const open = Promise.withResolvers<void>();
  const slow = readAll({ run, drafts: true, connection: { drained: () => open.promise, drop() {} } });
  push({ type: "draft-start", draft: 1, step: 1 }, { type: "draft-delta", draft: 1, text: "It is" });
  push({ type: "draft-end", draft: 1, kept: "thought" }, { type: "thought-delta", text: "It is" });
  end();
  await new Promise(setImmediate);
  open.resolve();
  expect(framesIn(await slow)).toEqual(["1 thought-delta It is", "2 run-end "]);
});
