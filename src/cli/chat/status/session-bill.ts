import { addAgentsBills, addModelUsage } from "../../../core/run/add-bills.ts";
import type { AgentsBill, ModelUsage, Outcome } from "../../../core/run/outcome.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { renderReasoning, renderSeconds } from "../../../render/event-lines.ts";
import { addCosts, type KnownCost, noCost, renderCost, toAgentsCost, toModelCost } from "../../../render/known-cost.ts";

export interface SessionBill {
  /** Adds what a run has used, or a compaction. */
  add(run: Pick<Outcome, "meta">): void;
  /** Is what all runs have used together. */
  readonly total: { tokens: number; cost: KnownCost };
  /** Returns a line for each role and model, and one for the total. A single line says so when nothing has been used yet. */
  renderLines(locale: Locale): string[];
}

type ModelKey = keyof Outcome["meta"]["models"];

interface Row {
  role: ModelKey;
  bill: ModelUsage;
  cost: KnownCost;
}

interface AgentsRow {
  bill: AgentsBill;
  cost: KnownCost;
}

/** Sums what runs used by role and model. Where what a run cost is not known, what is known is a lower bound and shown as one. */
export function createSessionBill(): SessionBill {
  const rows = new Map<string, Row>();
  let agents: AgentsRow | undefined;
  let runs = 0;
  let tokens = 0;
  let elapsedMs = 0;
  let cost = noCost;

  function addModel(role: ModelKey, bill: ModelUsage): void {
    if (bill.calls === 0) return;
    const key = `${role} ${bill.provider}/${bill.model}`;
    const row = { role, bill, cost: toModelCost(bill) };
    const known = rows.get(key);
    rows.set(key, known ? addRows(known, row) : row);
    cost = addCosts(cost, row.cost);
  }

  return {
    add({ meta }) {
      runs += 1;
      tokens += meta.total_tokens;
      elapsedMs += meta.latency_ms;
      for (const role of ["compact", "function_call", "answer"] as const) {
        const bill = meta.models[role];
        for (const usage of bill?.by_model ?? (bill ? [bill] : [])) addModel(role, usage);
      }
      if (meta.agents === undefined) return;
      agents = addAgents(agents, meta.agents);
      tokens += meta.agents.total_tokens;
      cost = addCosts(cost, toAgentsCost(meta.agents));
    },
    get total() {
      return { tokens, cost };
    },
    renderLines(locale) {
      if (runs === 0) return [say(locale, nothing)];
      const list = [...rows.values()].toSorted((a, b) => order[a.role] - order[b.role]);
      const count = { zh: `合计 ${runs} 次运行`, en: runs === 1 ? "Total: 1 run" : `Total: ${runs} runs` };
      const all = [
        say(locale, count),
        `${tokens} tok`,
        renderSeconds(elapsedMs),
        ...(rows.size > 0 ? [renderPrice(cost, locale)] : []),
      ];
      return [
        ...list.map((row) => renderModelRow(row, locale)),
        ...(agents ? [renderAgentsRow(agents, locale)] : []),
        all.join(" · "),
      ];
    },
  };
}

function renderModelRow({ role, bill, cost }: Row, locale: Locale): string {
  const { provider, model, calls, input_tokens, output_tokens, cached_tokens } = bill;
  const cached = renderTokens(cached_tokens, { zh: "缓存", en: "cached" }, locale);
  const reasoning = renderReasoning(bill, locale);
  const used = say(locale, {
    zh: `输入 ${input_tokens}${cached} → 输出 ${output_tokens}${reasoning} tok`,
    en: `${input_tokens} in${cached} → ${output_tokens} out${reasoning} tok`,
  });
  const name = `${say(locale, roleNames[role])} ${provider}/${model} ×${calls}`;
  return [name, used, renderSeconds(bill.elapsed_ms), renderPrice(cost, locale)].join(" · ");
}

function renderAgentsRow({ bill, cost }: AgentsRow, locale: Locale): string {
  const name = say(locale, { zh: "子智能体", en: "sub-agents" });
  return [`${name} ×${bill.runs}`, `${bill.total_tokens} tok`, renderPrice(cost, locale)].join(" · ");
}

function renderTokens(tokens: number, name: Text, locale: Locale): string {
  if (tokens === 0) return "";
  return say(locale, { zh: `（${name.zh} ${tokens}）`, en: ` (${tokens} ${name.en})` });
}

function renderPrice(cost: KnownCost, locale: Locale): string {
  return renderCost(cost, locale) ?? say(locale, { zh: "费用未知", en: "cost unknown" });
}

function addRows({ role, bill: a, cost }: Row, { bill: b, cost: more }: Row): Row {
  return { role, bill: addModelUsage(a, b), cost: addCosts(cost, more) };
}

function addAgents(row: AgentsRow | undefined, more: AgentsBill): AgentsRow {
  const cost = toAgentsCost(more);
  if (row === undefined) return { bill: more, cost };
  return { bill: addAgentsBills(row.bill, more), cost: addCosts(row.cost, cost) };
}

const order: Record<ModelKey, number> = { compact: 0, function_call: 1, answer: 2 };
const roleNames: Record<ModelKey, Text> = {
  compact: { zh: "压缩对话", en: "summary" },
  function_call: { zh: "决策", en: "decide" },
  answer: { zh: "回答", en: "answer" },
};
const nothing: Text = { zh: "还没有用量。", en: "Nothing has been used yet." };
