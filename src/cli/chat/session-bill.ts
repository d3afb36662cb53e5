import { dollars, seconds } from "../../core/lines.ts";
import { type Locale, say, type Text } from "../../core/locale.ts";
import type { AgentsBill, ModelBill, Outcome } from "../../core/outcome.ts";

/** What the runs of a chat have used together. */
export interface SessionBill {
  /** Adds what a run has used, or a compaction. */
  add(run: Pick<Outcome, "meta">): void;
  /** A line a role and model, and one for all; one that says so when nothing has been used yet. */
  lines(locale: Locale): string[];
}

type Role = keyof Outcome["meta"]["models"];

/** Sums what runs used by role and model. A price that is not known of one call makes its sum unknown, never smaller. */
export function createSessionBill(): SessionBill {
  const rows = new Map<string, { role: Role; bill: ModelBill }>();
  let agents: AgentsBill | undefined;
  let runs = 0;
  let tokens = 0;
  let elapsedMs = 0;
  let cost: number | null = 0;

  function addModel(role: Role, bill: ModelBill): void {
    if (bill.calls === 0) return;
    const key = `${role} ${bill.provider}/${bill.model}`;
    const known = rows.get(key)?.bill;
    rows.set(key, { role, bill: known ? sumOf(known, bill) : bill });
    cost = plus(cost, bill.cost_usd);
  }

  return {
    add({ meta }) {
      runs += 1;
      tokens += meta.total_tokens;
      elapsedMs += meta.latency_ms;
      addModel("function_call", meta.models.function_call);
      addModel("answer", meta.models.answer);
      if (meta.agents) agents = agents ? sumOfAgents(agents, meta.agents) : meta.agents;
    },
    lines(locale) {
      if (runs === 0) return [say(locale, nothing)];
      const list = [...rows.values()].toSorted((a, b) => order[a.role] - order[b.role]);
      const count = { zh: `合计 ${runs} 次运行`, en: runs === 1 ? "In all 1 run" : `In all ${runs} runs` };
      const all = [
        say(locale, count),
        `${tokens} tok`,
        seconds(elapsedMs),
        ...(rows.size > 0 ? [price(cost, locale)] : []),
      ];
      return [
        ...list.map(({ role, bill }) => modelLine(role, bill, locale)),
        ...(agents ? [agentsLine(agents, locale)] : []),
        all.join(" · "),
      ];
    },
  };
}

function modelLine(role: Role, bill: ModelBill, locale: Locale): string {
  const { provider, model, calls, input_tokens, output_tokens, reasoning_tokens, cached_tokens } = bill;
  const cached = part(cached_tokens, { zh: "缓存", en: "cached" }, locale);
  const reasoning = part(reasoning_tokens, { zh: "推理", en: "reasoning" }, locale);
  const used = say(locale, {
    zh: `输入 ${input_tokens}${cached} → 输出 ${output_tokens}${reasoning} tok`,
    en: `${input_tokens} in${cached} → ${output_tokens} out${reasoning} tok`,
  });
  const name = `${say(locale, roleNames[role])} ${provider}/${model} ×${calls}`;
  return [name, used, seconds(bill.elapsed_ms), price(bill.cost_usd, locale)].join(" · ");
}

function agentsLine({ runs, total_tokens, cost_usd }: AgentsBill, locale: Locale): string {
  const name = say(locale, { zh: "下级智能体", en: "agents below" });
  return [`${name} ×${runs}`, `${total_tokens} tok`, price(cost_usd, locale)].join(" · ");
}

function part(tokens: number, name: Text, locale: Locale): string {
  if (tokens === 0) return "";
  return say(locale, { zh: `（${name.zh} ${tokens}）`, en: ` (${tokens} ${name.en})` });
}

function price(cost: number | null, locale: Locale): string {
  return cost === null ? say(locale, { zh: "费用未知", en: "cost unknown" }) : dollars(cost);
}

function sumOf(a: ModelBill, b: ModelBill): ModelBill {
  return {
    ...a,
    calls: a.calls + b.calls,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    elapsed_ms: a.elapsed_ms + b.elapsed_ms,
    cost_usd: plus(a.cost_usd, b.cost_usd),
  };
}

function sumOfAgents(a: AgentsBill, b: AgentsBill): AgentsBill {
  return {
    runs: a.runs + b.runs,
    total_tokens: a.total_tokens + b.total_tokens,
    cost_usd: plus(a.cost_usd, b.cost_usd),
  };
}

function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

const order: Record<Role, number> = { function_call: 0, answer: 1 };
const roleNames: Record<Role, Text> = {
  function_call: { zh: "工具调用", en: "decide" },
  answer: { zh: "回答", en: "answer" },
};
const nothing: Text = { zh: "还没有用量。", en: "Nothing has been used yet." };
