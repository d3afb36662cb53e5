import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { RunOptions } from "../../../src/agent/open-run.ts";
import type { Models } from "../../../src/agent/run.ts";
import { withTurnBudgets } from "../../../src/app/models/with-turn-budget.ts";
import { serveSchema } from "../../../src/config/schema/file-schema.ts";
import type { TakenRun } from "../../../src/core/store/journal.ts";
import type { OperatorStore } from "../../../src/core/store/store.ts";
import type { Tool } from "../../../src/core/tools/tool.ts";
import type { JsonObject } from "../../../src/kit/json.ts";
import { createCallerLimits } from "../../../src/runs/limits/caller-limits.ts";
import { createPermissionCheck, withPermission } from "../../../src/tools/permission-rules.ts";
import { images } from "../../fakes/images.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { type Overrides, runOptions } from "../../fakes/run.ts";
import type { Script } from "./interrupted.ts";

/** A run whose process is ended at a statement of the store. */
export interface KilledWorld {
  script: Script;
  /** What the run is set to, with tools that write each call into a file before they give its result. */
  open(log: string): Omit<Overrides, "models">;
  calls: readonly string[];
}

/** Holds what is recorded of a run, in the process that begins it and in the one that goes on with it. */
interface KilledRun {
  store: OperatorStore;
  /** Is the file into which the tools write. */
  log: string;
  /** Is left out by the first process. */
  taken?: TakenRun | undefined;
}

/** Returns the options of a run whose models answer by `script`. */
export function openKilledRun({ script, open }: KilledWorld, { store, log, taken }: KilledRun): Promise<RunOptions> {
  const functionCall = scriptedModel(script.decide, "one");
  const answer = script.answer ? scriptedModel(script.answer, "two") : functionCall;
  return runOptions({
    ...open(log),
    id: "run-1",
    conversationId: "conv-1",
    store,
    models: limitByDay({ functionCall, answer }, store),
    recording: {
      taken,
      begin: ({ runId, conversationId, ...known }) =>
        store.journal.begin({ runId, conversationId, owner: undefined, header: { ...known, entrance: "library" } }),
    },
  });
}

const limits = { maxToolCalls: 10, maxIterations: 6 };

function createWork(log: string): Tool {
  return {
    name: "work",
    description: "Works.",
    inputSchema: { type: "object", properties: {} },
    source: "builtin",
    annotations: {},
    canRepeat: ({ n }: JsonObject) => String(n).endsWith("r"),
    async run({ n }) {
      appendFileSync(log, `${String(n)}\n`);
      const text = `The result of ${String(n)} is long enough to be no thin one.`;
      return { ok: true, text, ...(n === "3" && { images: [images.gif] }) };
    },
  };
}

/** Has the turns of models reserve and count what they use, as those of a caller with a limit do. */
function limitByDay(models: Models, { dailyUsage }: Pick<OperatorStore, "dailyUsage">): Models {
  const { limits } = serveSchema.parse({ limits: { tokensPerDay: 1_000_000 } });
  const { getBudget } = createCallerLimits({ limits, most: 1, isShared: false, openUsage: async () => dailyUsage });
  return withTurnBudgets(models, getBudget({}));
}

/** Returns the calls that the tools have written down, in all processes of a run. */
export function readMade(log: string): string[] {
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
}

const rounds = [
  { calls: ["1", "2r"].map((n) => ({ id: `c${n}`, name: "work", input: { n } })) },
  { calls: [{ id: "c3", name: "work", input: { n: "3" } }] },
];
const plan = {
  steps: ["1", "2r"].map((n, index) => ({ step: index + 1, description: n, tool: "work", parameters: { n } })),
};

export const killedWorlds: Readonly<Record<string, KilledWorld>> = {
  "one model": {
    script: { decide: [...rounds, "All of it is known by now."] },
    open: (log) => ({ tools: [createWork(log)], limits }),
    calls: ["1", "2r", "3"],
  },
  "two models": {
    script: { decide: [...rounds, "enough"], answer: ["All of it is known by now."] },
    open: (log) => ({ tools: [createWork(log)], limits }),
    calls: ["1", "2r", "3"],
  },
  "plan mode": {
    script: { decide: [JSON.stringify(plan)], answer: ["Both are known by now."] },
    open: (log) => ({
      tools: [createWork(log)],
      limits,
      mode: "plan",
      confirmPlan: async () => ({ reply: "yes" }),
      planPolicy: { unattended: "run", onFailure: "skip", retries: 0 },
    }),
    calls: ["1", "2r"],
  },
  "a consent waiting": {
    script: { decide: [{ calls: [{ id: "c1", name: "work", input: { n: "1" } }] }, "It is known by now."] },
    open: (log) => ({
      tools: [withPermission(createWork(log), createPermissionCheck({ ask: ["*"] }))],
      limits,
      approveCall: async () => "once",
    }),
    calls: ["1"],
  },
};
