import type { Limits } from "../../agent/limits/run-clock.ts";
import type { Config } from "../../config/config.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import { sumKnownCost } from "../../core/run/add-bills.ts";
import type { Notice } from "../../core/run/events.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import type { AgentTrace } from "../../core/run/trace.ts";
import { addSpend, noSpend, type Spend } from "../../core/store/daily-usage.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Locale, Text } from "../../kit/locale.ts";

/** Holds what the budgets of a conversation and of a day leave for one run. */
export interface RunBudgets {
  /** Returns the limits of the run, within what is left. */
  applyTo(limits: Limits): Limits;
  /** Ends the run before its first step, where nothing is left. */
  readonly refusal: DuetError | undefined;
  /** Counts what the run has used, and returns the warnings of budgets of which little is left now. Never rejects. */
  settle(outcome: Outcome): Promise<readonly Notice[]>;
}

export interface BudgetOptions {
  budgets: Config["agent"]["budgets"];
  /** Is the store of the run's owner. */
  store: ConversationStore;
  conversationId: string;
  locale: Locale;
  /** Is true when another part counts what the run uses in a day: the server that of a caller, or the run above that of its agents. */
  isCounted: boolean;
}

/** A person is warned when this share of a budget is used. */
const warnedShare = 0.8;

/** Opens the budgets that are set; undefined where none is. What the store cannot tell counts as nothing used. */
export async function openBudgets(options: BudgetOptions): Promise<RunBudgets | undefined> {
  const { budgets, store, conversationId, locale, isCounted } = options;
  const { tokensPerConversation, costPerConversation, tokensPerDay, costPerDay } = budgets;
  const hasConversation = (tokensPerConversation ?? costPerConversation) !== undefined;
  const hasDay = (tokensPerDay ?? costPerDay) !== undefined;
  if (!hasConversation && !hasDay) return undefined;
  const inConversation = hasConversation ? await sumRuns(store, conversationId) : noSpend;
  const today = hasDay ? ((await readToday(store)) ?? noSpend) : noSpend;
  const rows: BudgetRow[] = [
    {
      setting: "tokensPerConversation",
      field: "tokenBudget",
      used: inConversation.tokens,
      most: tokensPerConversation,
    },
    { setting: "costPerConversation", field: "costBudget", used: inConversation.cost, most: costPerConversation },
    { setting: "tokensPerDay", field: "tokenBudget", used: today.tokens, most: tokensPerDay },
    { setting: "costPerDay", field: "costBudget", used: today.cost, most: costPerDay },
  ];
  const empty = rows.find(({ used, most }) => most !== undefined && used >= most);
  return {
    refusal: empty && usedUpError(empty),
    applyTo: (limits) => rows.reduce(applyBudget, limits),
    async settle(outcome) {
      const spent = toSpend(outcome.meta);
      if (hasDay && !isCounted && store.dailyUsage)
        await ignoreRejection(store.dailyUsage.settle("", spent), "the monitor of the store reports it");
      return rows.flatMap((row) => {
        const { setting, field, used, most } = row;
        const now = used + (field === "tokenBudget" ? spent.tokens : spent.cost);
        if (most === undefined || now < warnedShare * most) return [];
        return [noticeKinds.budgetNearlyUsed({ setting: `agent.budgets.${setting}`, used: now, most }, locale)];
      });
    },
  };
}

interface BudgetRow {
  setting: keyof Config["agent"]["budgets"];
  field: "tokenBudget" | "costBudget";
  used: number;
  most: number | undefined;
}

/** Names the budget as the source of the limit, so that the end of the run says what raises it. */
function applyBudget(limits: Limits, { setting, field, used, most }: BudgetRow): Limits {
  if (most === undefined) return limits;
  const left = Math.max(0, most - used);
  if (left >= (limits[field] ?? Number.POSITIVE_INFINITY)) return limits;
  const source = { setting: `agent.budgets.${setting}`, value: most };
  return { ...limits, [field]: left, sources: { ...limits.sources, [field]: source } };
}

function usedUpError({ setting, used, most = 0, field }: BudgetRow): DuetError {
  const [isUsed, allowed] = [describeAmount(field, used), describeAmount(field, most)];
  const isDaily = setting === "tokensPerDay" || setting === "costPerDay";
  const where = isDaily ? { zh: "今天（UTC）", en: "today (UTC)" } : { zh: "这个对话", en: "in this conversation" };
  const beginNew = isDaily ? { zh: "", en: "" } : { zh: "，或开始新的对话", en: ", or begin a new conversation" };
  return new DuetError({
    code: "quota",
    text: {
      zh: `${where.zh}已用 ${isUsed.zh}（agent.budgets.${setting} 允许 ${allowed.zh}），没有调用模型。`,
      en: `Used ${where.en}: ${isUsed.en} (agent.budgets.${setting} allows ${allowed.en}); no model was called.`,
    },
    hint: {
      zh: `请调高 agent.budgets.${setting}${beginNew.zh}。`,
      en: `Raise agent.budgets.${setting}${beginNew.en}.`,
    },
  });
}

function describeAmount(field: BudgetRow["field"], amount: number): Text {
  if (field === "tokenBudget") return { zh: `${amount} 个 token`, en: `${amount} tokens` };
  const dollars = `$${Math.round(amount * 1e4) / 1e4}`;
  return { zh: dollars, en: dollars };
}

async function readToday({ dailyUsage }: ConversationStore): Promise<Spend | undefined> {
  if (dailyUsage === undefined) return undefined;
  return (await ignoreRejection(dailyUsage.read(), "the monitor of the store reports it"))?.used;
}

/** Sums what the runs of a conversation have used, with the agents that they called. */
async function sumRuns(store: ConversationStore, conversationId: string): Promise<Spend> {
  try {
    const runs = await store.runs({ conversationId });
    const traces = await Promise.all(runs.map(({ id }) => store.trace(id)));
    return traces
      .filter((trace) => trace !== undefined)
      .map(toTraceSpend)
      .reduce(addSpend, noSpend);
  } catch {
    return noSpend;
  }
}

function toTraceSpend({ token_usage, models, agents }: AgentTrace): Spend {
  return toSpend({ total_tokens: token_usage.total_tokens, models, agents });
}

/** Counts the known part of the cost, which is null as a whole where the price of a model is not known. */
function toSpend({ total_tokens, models, agents }: Pick<Outcome["meta"], "total_tokens" | "models" | "agents">): Spend {
  return { tokens: total_tokens + (agents?.total_tokens ?? 0), cost: sumKnownCost({ models, agents }) };
}
