import { expect, test } from "vitest";
import type { Approval } from "../../../src/core/tools/tool.ts";
import { createBuiltinTools } from "../../../src/tools/builtin/builtin-tools.ts";
import { createPermissionCheck, withPermission } from "../../../src/tools/permission-rules.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { runAll } from "../../fakes/run.ts";
import { callsOf, lastAsked, planners, plansOf, written } from "./planning.ts";

const writing = makeTool("write_it", () => ({ ok: true, text: "Written." }));
const tools = [
  ...createBuiltinTools({ roots: ["."], locale: "en", search: undefined }),
  withPermission(writing, createPermissionCheck({ ask: ["write_it"] })),
];
const add = { tool: "calculator", parameters: { expression: "2+3" } };
const write = { tool: "write_it", parameters: { path: "incident.md" } };
const sayIt = { tool: "echo", parameters: { text: "So: {{step_2}}" } };

const noOtherWay = "Do not reach the same end with another tool.";

test.each<[string, (() => Promise<Approval>) | undefined, string, string]>([
  [
    "nobody can be asked about",
    undefined,
    "Not run: it needs the user's consent, and nobody can be asked now.",
    "Not run: write_it needs consent (rule tools.ask: write_it), and nobody can be asked here.",
  ],
  [
    "the person says no to",
    async () => "no",
    "Not run: the user did not agree to this call.",
    "Not run: the user did not agree to this call of write_it.",
  ],
])(
  "a step that %s is not run, nothing is planned anew, and people read words of their own",
  async (_, approveCall, model, person) => {
    const models = planners([written(add, write, sayIt, add)], "It was not written.");
    const events = await runAll({ mode: "plan", models, tools, approveCall });

    expect(models.functionCall.requests).toHaveLength(1);
    expect(
      plansOf(events)
        .at(-1)
        ?.map(({ state, reason }) => [state, reason]),
    ).toEqual([
      ["done", undefined],
      ["skipped", "consent"],
      ["skipped", "dependency"],
      ["done", undefined],
    ]);
    expect(lastAsked(models.answer, 0)).toContain("2. Use write_it (write_it): not run, no consent");
    expect(lastAsked(models.answer, 0)).toContain(
      `Calls that were not run:\n\n- write_it {"path":"incident.md"}: ${person}`,
    );
    expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "error" });

    const told = JSON.stringify(events);
    expect(told).toContain(person);
    expect(told).not.toContain(model);
    expect(told).not.toContain(noOtherWay);
  },
);

test("a step that the person wants done in another way is marked, is not run, and the rest is planned anew", async () => {
  const models = planners([written(add, write), written({ ...add, step: 3 })], "It was done in another way.");
  const approveCall = async (): Promise<Approval> => ({ instead: "Only add." });
  const events = await runAll({ mode: "plan", models, tools, approveCall });
  expect(lastAsked(models.functionCall, 1)).toContain("says what to do instead: Only add.");
  expect(plansOf(events)[0]?.map(({ consent }) => consent)).toEqual([undefined, true]);
  expect(
    plansOf(events)
      .at(-1)
      ?.map(({ tool, state }) => [tool, state]),
  ).toEqual([
    ["calculator", "done"],
    ["write_it", "failed"],
    ["calculator", "done"],
  ]);
});

test("a step that fails after a refusal is not planned anew either", async () => {
  const broken = makeTool("broken", () => ({ ok: false, text: "no", error: { code: "tool", message: "no" } }));
  const models = planners([written(write, { tool: "broken" }, add)]);
  const events = await runAll({ mode: "plan", models, tools: [...tools, broken] });
  expect(models.functionCall.requests).toHaveLength(1);
  expect(
    plansOf(events)
      .at(-1)
      ?.map(({ state }) => state),
  ).toEqual(["skipped", "failed", "done"]);
});

test("the model that chooses tools reads that a refused call must not be replaced by another tool", async () => {
  const call = [{ id: "1", name: "write_it", input: { path: "incident.md" } }];
  const models = planners([call, "It was not allowed."]);
  const events = await runAll({ mode: "agent", models, tools });
  expect(lastAsked(models.functionCall, 1)).toContain(
    `Not run: it needs the user's consent, and nobody can be asked now. ${noOtherWay}`,
  );
  expect(JSON.stringify(events)).not.toContain(noOtherWay);
});

test("a step whose arguments a rule forbids is tried once only", async () => {
  const forbidden = withPermission(
    makeTool("write_it", () => ({ ok: true, text: "Written." })),
    createPermissionCheck({ deny: ["write_it(incident.md)"] }),
  );
  const events = await runAll({ mode: "plan", models: planners([written(write), written(add)]), tools: [forbidden] });
  expect(callsOf(events)).toEqual(['1 write_it {"path":"incident.md"}']);
});
