import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { prepareImage } from "../../../src/core/files/prepare-image.ts";
import { createRunFiles } from "../../../src/core/files/run-files.ts";
import type { Message } from "../../../src/core/model/messages.ts";
import type { RecordedStep } from "../../../src/core/store/journal.ts";
import type { Approval, Tool, ToolResult } from "../../../src/core/tools/tool.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { createPermissionCheck, withPermission } from "../../../src/tools/permission-rules.ts";
import { makeTool, noticesOf, outcomeOf, textOf } from "../../fakes/events.ts";
import { images } from "../../fakes/images.ts";
import type { ScriptedTurn } from "../../fakes/model.ts";
import type { Overrides } from "../../fakes/run.ts";
import { leaveOut, type PlayedRun, play, type Script } from "./interrupted.ts";

/** What a call of the world gives, by its number. */
type Given = "short" | "medium" | "long" | "sources" | "image" | "failed";

interface World {
  tools: Tool[];
  /** Lists the calls that were made, as the tools see them. */
  made: string[];
}

/** Tools that give the same for the same number, and tell what they did; `n` names a call. */
function createWorld(given: ReadonlyMap<string, Given>, repeatable: ReadonlySet<string>): World {
  const made: string[] = [];
  const work = makeTool("work", (args) => {
    const n = "n" in args ? String(args.n) : "";
    made.push(n);
    return toResult(n, given.get(n) ?? "short");
  });
  // A tool that says nothing about it is not called twice.
  const canRepeat = (args: object): boolean => "n" in args && repeatable.has(String(args.n));
  const tool = repeatable.size > 0 ? { ...work, canRepeat } : work;
  return { tools: [tool], made };
}

function toResult(n: string, kind: Given): ToolResult {
  if (kind === "failed")
    return { ok: false, text: `no ${n}`, error: { code: "tool", message: `no ${n}`, retryable: false } };
  if (kind === "long") return { ok: true, text: `${n} begins. ${"line of a long result\n".repeat(2000)}${n} ends.` };
  // It is read whole, and has no number before it is shortened for a later turn.
  if (kind === "medium") return { ok: true, text: `${n} begins. ${"line of a long result\n".repeat(850)}${n} ends.` };
  if (kind === "image") return { ok: true, text: `Call ${n} shows this.`, images: [images.gif] };
  if (kind === "short") return { ok: true, text: `The result of call ${n} is ${n.length}.` };
  const sources = ["a", n].map((name) => ({
    title: `Page ${name}`,
    url: `https://${name}.example`,
    snippet: `of ${n}`,
  }));
  return { ok: true, text: "", sources };
}

/** Returns a question's image, as it is when the run begins. */
function attachImage(): Pick<Overrides, "attached" | "files"> {
  const made = prepareImage(images.png, "chart.png");
  if ("refusal" in made) throw new Error(made.refusal.en);
  const files = createRunFiles();
  files.add(made);
  return { attached: [made.part], files };
}

const given = fc.constantFrom<Given>("short", "medium", "long", "sources", "image", "failed");
const rounds = fc.array(fc.array(fc.tuple(given, fc.boolean()), { minLength: 1, maxLength: 3 }), { maxLength: 3 });

interface Case {
  script: Script;
  given: Map<string, Given>;
  repeatable: Set<string>;
}

/** A run of these rounds of calls, each with what it gives and whether it may be repeated. */
function toCase(list: [Given, boolean][][], hasTwoModels: boolean): Case {
  const kinds = new Map<string, Given>();
  const repeatable = new Set<string>();
  const decide: ScriptedTurn[] = list.map((round, index) => {
    const calls = round.map(([kind, mayRepeat], place) => {
      const n = `${index + 1}${"abc"[place]}`;
      kinds.set(n, kind);
      if (mayRepeat) repeatable.add(n);
      return { id: `c${n}`, name: "work", input: { n } };
    });
    return { text: `Round ${index}.`, reasoning: "Let me see.", calls };
  });
  const words = "It is known [1]: the results say so, all of them.";
  const script = hasTwoModels ? { decide: [...decide, "enough"], answer: [words] } : { decide: [...decide, words] };
  return { script, given: kinds, repeatable };
}

const limits = { maxToolCalls: 20, maxIterations: 8 };

/** The calls of the last recorded turn that have no record: nobody knows what became of them. */
function findOpen(steps: readonly RecordedStep[], list: [Given, boolean][][]): string[] {
  const turns = steps.filter(({ name }) => name.startsWith("turn:decide:")).length;
  const calls = (list[turns - 1] ?? []).map((_, place) => `${turns}${"abc"[place]}`);
  return calls.filter((n) => !steps.some(({ name }) => name === `call:c${n}`));
}

/** Leaves out how far a long result goes: the shorter the results beside it, the more of it fits. */
const shorten = (content: string): string => content.replace(/line of a long result.*/s, "...");

function withoutResults(messages: readonly Message[], unknown: readonly string[]): Message[] {
  // Results that are not known have no number under which their rest could be read.
  const unnumbered = messages.map((message) =>
    unknown.length > 0 && message.role === "tool" && typeof message.content === "string"
      ? { ...message, content: shorten(message.content.replaceAll(/"result": \d+/g, '"result": 0')) }
      : message,
  );
  return unnumbered.map((message) =>
    message.role === "tool" && unknown.includes(message.callId.slice(1))
      ? { role: "tool", callId: message.callId, tool: message.tool, content: "?", ok: false }
      : message,
  );
}

/** Ends a run of these rounds after each of its records, and looks at what the run that goes on asks and does. */
async function cutEverywhere(list: [Given, boolean][][], hasTwoModels: boolean): Promise<void> {
  const { script, given: kinds, repeatable } = toCase(list, hasTwoModels);
  const store = createMemoryStore();
  const tools = createWorld(kinds, repeatable).tools;
  const whole = await play(script, { tools, limits, store, ...attachImage() });
  for (let cut = 0; cut <= whole.steps.length; cut++) {
    const steps = whole.steps.slice(0, cut);
    const open = findOpen(steps, list);
    const unknown = open.filter((n) => !repeatable.has(n));
    const world = createWorld(kinds, repeatable);
    const left = leaveOut(script, steps);
    const resumed = await play(left, { tools: world.tools, limits, store }, { ...whole, steps });
    expect(resumed.unread).toEqual([]);
    expectSame(resumed, whole, { left, script, unknown });
    // What has a record is not done again, and neither is what may have taken effect.
    const known = steps.flatMap(({ name }) => (name.startsWith("call:c") ? [name.slice(6)] : []));
    expect(world.made.filter((n) => known.includes(n) || unknown.includes(n))).toEqual([]);
    expect([...known, ...unknown, ...world.made].sort()).toEqual([...kinds.keys()].sort());
  }
}

describe("a run whose process ends after any of its records", () => {
  test.each([
    ["one model", false],
    ["two models", true],
  ])("asks the models the same and repeats no call that is known (%s)", async (_, hasTwoModels) => {
    await fc.assert(
      fc.asyncProperty(rounds, (list) => cutEverywhere(list, hasTwoModels)),
      { numRuns: 12 },
    );
  });

  const long: [Given, boolean] = ["long", false];
  const medium: [Given, boolean] = ["medium", false];
  const short: [Given, boolean] = ["short", false];
  const image: [Given, boolean] = ["image", false];
  test.each([
    ["cut", [[long, image, long], [long], [short]]],
    [
      "cut and numbered at once",
      [
        [medium, medium],
        [image, medium],
      ],
    ],
    ["numbered", [[medium, medium, medium], [medium, long], [long], [short]]],
  ])("goes on with results as they were %s for an earlier turn", async (_, list) => {
    for (const hasTwoModels of [false, true]) await cutEverywhere(list, hasTwoModels);
  });

  test("asks for and carries out the rest of its plan", async () => {
    const plan = {
      steps: ["1a", "1b"].map((n, index) => ({ step: index + 1, description: n, tool: "work", parameters: { n } })),
    };
    const script = { decide: [JSON.stringify(plan)], answer: ["Both are known."] };
    const kinds = new Map<string, Given>([["1b", "long"]]);
    const setting = { mode: "plan", limits, confirmPlan: async () => ({ reply: "yes" }) as const } as const;
    const whole = await play(script, { ...setting, tools: createWorld(kinds, new Set()).tools });
    expect(whole.steps.map(({ name }) => name)).toEqual([
      "turn:plan:1",
      "question:plan:1",
      "answer:plan:1",
      "calls:step_1",
      "call:step_1",
      "calls:step_2",
      "call:step_2",
      "turn:answer:1",
    ]);
    for (let cut = 0; cut <= whole.steps.length; cut++) {
      const steps = whole.steps.slice(0, cut);
      const asked: number[] = [];
      const confirmPlan = async () => {
        asked.push(cut);
        return { reply: "yes" } as const;
      };
      const world = createWorld(kinds, new Set(["1a", "1b"]));
      const left = leaveOut(script, steps);
      const resumed = await play(left, { ...setting, confirmPlan, tools: world.tools }, { ...whole, steps });
      expectSame(resumed, whole, { left, script, unknown: [] });
      expect(asked).toHaveLength(cut < 3 ? 1 : 0);
      expect(world.made).toEqual(cut < 5 ? ["1a", "1b"] : cut < 7 ? ["1b"] : []);
    }
  });

  test("asks for consent again while nobody has answered, never after a yes, and does not repeat what was agreed to", async () => {
    const script = {
      decide: [[{ id: "c1", name: "work", input: { n: "1" } }], "It is done, as far as anybody knows."],
    };
    const guard = (world: World) =>
      world.tools.map((tool) => withPermission(tool, createPermissionCheck({ ask: ["*"] })));
    const asks = (answer: Approval, asked: Approval[]) => async () => {
      asked.push(answer);
      return answer;
    };
    const first = createWorld(new Map(), new Set());
    const whole = await play(script, { tools: guard(first), approveCall: asks("once", []) });
    expect(whole.steps.map(({ name }) => name)).toEqual([
      "turn:decide:1",
      "question:c1",
      "answer:c1",
      "call:c1",
      "turn:decide:2",
    ]);
    const seen: [number, Approval[], string[], string | undefined][] = [];
    for (let cut = 1; cut <= 4; cut++) {
      const asked: Approval[] = [];
      const world = createWorld(new Map(), new Set());
      const steps = whole.steps.slice(0, cut);
      const setting = { tools: guard(world), approveCall: asks("once", asked) };
      const { events } = await play(leaveOut(script, steps), setting, { ...whole, steps });
      const end = events.find((event) => event.type === "tool-end");
      seen.push([cut, asked, world.made, end?.error?.code]);
    }
    expect(seen).toEqual([
      // Nothing is done before the question.
      [1, ["once"], ["1"], undefined],
      [2, ["once"], ["1"], undefined],
      [3, [], [], "outcome_unknown"],
      [4, [], [], undefined],
    ]);
  });
});

/** The models that are left are asked what they were asked before, but for the results that nobody knows. */
function expectSame(
  resumed: PlayedRun,
  whole: PlayedRun,
  { left, script, unknown }: { left: Script; script: Script; unknown: readonly string[] },
): void {
  const decided = script.decide.length - left.decide.length;
  expect(resumed.asked.decide.map((asked) => withoutResults(asked, unknown))).toEqual(
    whole.asked.decide.slice(decided).map((asked) => withoutResults(asked, unknown)),
  );
  const outcome = outcomeOf(resumed.events);
  expect(outcome).toMatchObject({ status: "complete", run_id: "run-1" });
  if (unknown.length > 0) return;
  const answered = (script.answer?.length ?? 0) - (left.answer?.length ?? 0);
  if (script.answer) expect(resumed.asked.answer).toEqual(whole.asked.answer.slice(answered));
  const { meta, ...words } = outcomeOf(whole.events);
  expect(outcome.response).toBe(words.response);
  expect(textOf(resumed.events, "answer-delta")).toBe(words.response);
  // What was spent before counts on.
  expect(outcome.meta).toMatchObject({ total_tokens: meta.total_tokens, tool_calls_count: meta.tool_calls_count });
}

test("a model reads that a call may have taken effect, and the trace says so", async () => {
  const script = {
    decide: [[{ id: "c1", name: "work", input: { n: "1" } }], "I could not find out whether it was done."],
  };
  const store = createMemoryStore();
  const whole = await play(script, { tools: createWorld(new Map(), new Set()).tools, store });
  const steps = whole.steps.slice(0, 1);
  const next = createMemoryStore();
  const { asked, events } = await play(
    leaveOut(script, steps),
    { tools: createWorld(new Map(), new Set()).tools, store: next },
    { ...whole, steps },
  );
  expect(asked.decide[0]?.at(-1)).toMatchObject({
    role: "tool",
    ok: false,
    content: expect.stringMatching(/may have taken effect, and it was not repeated/),
  });
  expect(noticesOf(events)).toContain("run-resumed");
  expect((await next.trace("run-1"))?.steps[0]?.error).toMatch(/its outcome is unknown/);
});

test.each([
  [false, "run-resumed", [{ code: "run-resumed", message: expect.stringContaining("ended unexpectedly") }]],
  // Nobody has to know of it once there is an answer.
  [true, "run-handed-over", undefined],
])(
  "a run that goes on tells whether its process was killed or has handed it over (%s)",
  async (isHandedOver, code, inResult) => {
    const script = { decide: ["It is so."] };
    const setting = { tools: createWorld(new Map(), new Set()).tools };
    const whole = await play(script, setting);
    const { events } = await play(script, setting, { ...whole, steps: [], isHandedOver });
    expect(noticesOf(events)).toContain(code);
    const told = JSON.stringify(events.filter(({ type }) => type === "notice"));
    expect(told.includes("unexpectedly")).toBe(!isHandedOver);
    const { notices } = outcomeOf(events);
    if (inResult === undefined) expect(notices).toBe(undefined);
    else expect(notices).toMatchObject(inResult);
  },
);

test("a run that goes on took the time of both processes", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const work = makeTool("work", () => {
    vi.advanceTimersByTime(4000);
    return toResult("1", "short");
  });
  const round = (id: string): ScriptedTurn => [{ id, name: "work", input: { n: id } }];
  const script = { decide: [round("c1"), round("c2"), "It is so."] };
  const whole = await play(script, { tools: [work] });
  const steps = whole.steps.slice(0, whole.steps.findIndex(({ name }) => name === "call:c1") + 1);
  const { events } = await play(leaveOut(script, steps), { tools: [work] }, { ...whole, steps });
  expect([outcomeOf(whole.events), outcomeOf(events)].map(({ meta }) => meta.latency_ms)).toEqual([8000, 8000]);
});

test("a run that must not go on tells what an earlier process did, and does nothing", async () => {
  const { script, given: kinds } = toCase(
    [
      [["short", true]],
      [
        ["short", true],
        ["short", false],
      ],
    ],
    true,
  );
  const { tools } = createWorld(kinds, new Set());
  const whole = await play(script, { tools, limits });
  const cut = whole.steps.findIndex(({ name }) => name === "call:c2a") + 1;
  const steps = whole.steps.slice(0, cut);
  const world = createWorld(kinds, new Set());
  const refusal = new DuetError({ code: "server", text: { zh: "不再继续", en: "it does not go on" } });
  const store = createMemoryStore();
  const left = { ...whole, steps, refusal };
  const { events, steps: added } = await play({ decide: [], answer: [] }, { tools: world.tools, limits, store }, left);
  const end = events.at(-1);
  expect(end).toMatchObject({
    type: "run-end",
    outcome: {
      status: "failed",
      error: { message: "it does not go on" },
      tool_calls: [
        { tool: "work", ok: true, result: expect.stringContaining("call 1a") },
        { tool: "work", ok: true, result: expect.stringContaining("call 2a") },
        { tool: "work", ok: false, result: expect.stringContaining("may have taken effect") },
      ],
      meta: { tool_calls_count: 3, iterations: 2 },
    },
  });
  expect([world.made, added]).toEqual([[], []]);
  const trace = await store.trace("run-1");
  expect(JSON.stringify(trace)).toContain("call 2a");
  const turns = (await store.load("conv-1"))?.turns;
  expect(JSON.stringify(turns?.at(-1))).toContain("call 2a");
});

test("a call over the limit does not wait for the place of a call that an earlier process has made", async () => {
  const { tools } = createWorld(new Map(), new Set(["b", "c"]));
  const calls = ["a", "b", "c"].map((n) => ({ id: n, name: "work", input: { n } }));
  const script = { decide: [calls, "enough"], answer: ["Done."] };
  const setting = { tools, limits: { maxToolCalls: 2, maxParallel: 3 } };
  const whole = await play(script, setting);
  const place = whole.steps.findIndex(({ name }) => name === "call:b");
  const left = { ...whole, steps: whole.steps.slice(0, place) };
  expect(left.steps.map(({ name }) => name)).toContain("call:a");
  const { events } = await play({ decide: ["enough"], answer: ["Done."] }, setting, left);
  expect(outcomeOf(events).tool_calls.map(({ ok }) => ok)).toEqual([true, true, false]);
});
