import { toModelName } from "../../core/model/model.ts";
import type { ModelBill } from "../../core/run/outcome.ts";
import { toUsageDay } from "../../core/store/daily-usage.ts";
import type { UsageEntry } from "../../core/store/usage-history.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";

/** Returns what a run has used of each of its models. A run counts once for each of them. */
export function toUsageEntries({ caller, startedAt, snapshot }: RunHandle): UsageEntry[] {
  const { function_call, answer, compact } = snapshot().meta.models;
  const bills = [function_call, answer, ...(compact ? [compact] : [])].flatMap(listBills);
  const entries = new Map<string, UsageEntry>();
  for (const bill of bills) {
    const model = toModelName(bill);
    const about = { day: toUsageDay(startedAt), model, owner: caller.owner };
    const sum = entries.get(model) ?? { ...about, runs: 1, tokens: 0, cost: 0, unpriced: 0 };
    sum.tokens += bill.input_tokens + bill.output_tokens;
    sum.cost += bill.cost_usd ?? 0;
    if (bill.cost_usd === null) sum.unpriced = 1;
    entries.set(model, sum);
  }
  return [...entries.values()];
}

type ModelUse = Pick<ModelBill, "provider" | "model" | "input_tokens" | "output_tokens" | "cost_usd">;

/** Returns the bills of the single models, where another one has taken over. */
function listBills(bill: ModelBill): ModelUse[] {
  if (bill.calls === 0) return [];
  return bill.by_model ?? [bill];
}
