import type * as z from "zod";
import { sumModelCost, toBilledCost } from "../../../core/run/add-bills.ts";
import type { Confirmation, ModelBill, Outcome, OutcomeMeta, ToolCallRecord } from "../../../core/run/outcome.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import type { Detail } from "../../../runs/ask-schema.ts";
import type { hostOutcomeSchema } from "./host-outcome-schema.ts";

export type HostOutcome = z.infer<typeof hostOutcomeSchema>;

/** Limits what stands beside `response`, `citations`, `output`, `notices` and `error`, in bytes of JSON. */
const mostBytes: Readonly<Record<Detail, number>> = { brief: 1000, full: 8000 };

const mostCalls = 10;

/** Limits the preview of a result, in UTF-16 units. */
const previewLength = 300;

export interface HostOutcomeOptions {
  detail?: Detail | undefined;
  /** Is true for a host that hands the text and the object to its model, which would read the answer twice. */
  leavesOutResponse?: boolean | undefined;
}

/** Converts an outcome for a host. `text` is the text of the same result. */
export function toHostOutcome(
  outcome: Outcome,
  text: string,
  { detail = "brief", leavesOutResponse = false }: HostOutcomeOptions = {},
): HostOutcome {
  const { status, stop_reason, conversation_id, run_id, trace_id, citations, output, error, notices, confirmation } =
    outcome;
  const fixed = {
    ...{ status, stop_reason, conversation_id, run_id, trace_id },
    meta: toHostMeta(outcome.meta, detail),
    ...(confirmation && { confirmation: toHostConfirmation(confirmation) }),
  };
  return {
    ...(leavesOutResponse ? {} : { response: text }),
    ...fixed,
    citations,
    tool_calls: fitCalls(outcome, mostBytes[detail] - countBytes(fixed), detail),
    ...(output && { output }),
    ...(notices && { notices }),
    ...(error && { error: { ...error, hint: error.hint ?? undefined } }),
  };
}

/** Limits a rule, which its author may write at any length, in UTF-16 units. */
const ruleLength = 60;

/** Leaves out the arguments: they are in the text, and so is the whole rule. */
function toHostConfirmation({ arguments: _, rule, ...rest }: Confirmation): HostOutcome["confirmation"] {
  return { ...rest, ...(rule !== undefined && { rule: truncate(rule, ruleLength) }) };
}

function toHostMeta({ models, agents, ...counts }: OutcomeMeta, detail: Detail): HostOutcome["meta"] {
  const { function_call, answer, compact } = models;
  return {
    // An agent that called this one limits its money by what is known. The models, from which that follows, are in a full result alone.
    ...dropUnknownCost({ ...counts, ...toBilledCost(counts.cost_usd, sumModelCost(models)) }),
    ...(agents && { agents: dropUnknownCost(agents) }),
    ...(detail === "full" && {
      models: {
        function_call: toHostBill(function_call),
        answer: toHostBill(answer),
        ...(compact && { compact: toHostBill(compact) }),
      },
    }),
  };
}

function toHostBill({ by_model, ...whole }: ModelBill) {
  return { ...dropUnknownCost(whole), ...(by_model && { by_model: by_model.map(dropUnknownCost) }) };
}

/** Returns a bill whose cost is absent when it is not known. */
function dropUnknownCost<Bill extends { cost_usd: number | null }>(
  bill: Bill,
): Omit<Bill, "cost_usd"> & { cost_usd?: number } {
  const { cost_usd, ...rest } = bill;
  return cost_usd === null ? rest : { ...rest, cost_usd };
}

type ShownCall = HostOutcome["tool_calls"][number];

/** Returns the last calls in at most `most` bytes of JSON. In a full result the oldest previews go first. */
function fitCalls({ status, tool_calls: calls }: Outcome, most: number, detail: Detail): ShownCall[] {
  const last = calls.slice(-mostCalls);
  // A call that waits for a person is going, too.
  const isRunOpen = status === "running" || status === "needs_confirmation";
  const isGoing = (call: ToolCallRecord): boolean => isRunOpen && !hasEnded(call);
  const names = last.map((call): ShownCall => ({ tool: call.tool, ...(!isGoing(call) && { ok: call.ok }) }));
  let shown =
    detail === "full"
      ? last.map((call) => (isGoing(call) ? { tool: call.tool, arguments: call.arguments } : toFullCall(call)))
      : names;
  for (const [index, name] of names.entries()) {
    if (countBytes(shown) <= most) return shown;
    shown = shown.with(index, name);
  }
  while (shown.length > 0 && countBytes(shown) > most) shown = shown.slice(1);
  return shown;
}

/** Returns true for a call that has its result. */
export function hasEnded({ ok, result }: ToolCallRecord): boolean {
  return ok || result !== "";
}

function toFullCall({ tool, ok, arguments: args, result, cached, elapsed_ms }: ToolCallRecord): ShownCall {
  return { tool, ok, arguments: args, result: truncate(result, previewLength), cached, elapsed_ms };
}

function countBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
