import { type Model, toModelName } from "../../core/model/model.ts";
import type { OutcomeMeta } from "../../core/run/outcome.ts";
import type { Conversation, ConversationTurn, Summary } from "../../core/store/conversations/conversation.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { createRunClock, type RunClock } from "../limits/run-clock.ts";
import { toBill } from "../loop/run-result.ts";
import { openRun, type RunParts } from "../open-run.ts";
import { createRunRecord } from "../record/run-record.ts";
import type { Run, RunRequest } from "../run.ts";
import { chooseSummaryRole, turnsShare, type WrittenSummary, writeSummary } from "./compress.ts";
import { getContextWindow, getRequestBudget, pickSmallerModel } from "./context-window.ts";
import { collectFacts, fitFacts } from "./conversation-facts.ts";
import { isWithinBudget, shortenText, turnTokens } from "./fit-turns.ts";
import { createSizing, factsShare, historyShare, measureSummary, readStoredTurns, summaryShare } from "./recall.ts";

export interface CompactOptions
  extends Pick<RunParts, "models" | "store" | "prompts">,
    Pick<RunRequest, "limits" | "locale"> {
  conversationId: string;
  /** Is the branch to be put into a summary; the current one when absent. */
  branch?: number | undefined;
  signal: AbortSignal;
}

/**
 * Holds the result of a compaction. Its tokens are estimates of what models read; those of `meta` are what writing the summary
 * used.
 */
export interface Compaction {
  /** Counts the turns for which the summary stands. */
  turns: number;
  tokensBefore: number;
  tokensAfter: number;
  meta: OutcomeMeta;
}

/**
 * Puts all but the last turn of a conversation into a summary, which models read in their place from then on. Throws a `DuetError`
 * where there is nothing to put there, no language model, or where it fails, refuses or is cut; the conversation is then as it was.
 */
export async function compactConversation({ signal, ...options }: CompactOptions): Promise<Compaction> {
  const started = performance.now();
  const conversation = await options.store.load(options.conversationId, options.branch);
  const turns = conversation?.turns ?? [];
  if (conversation === undefined || turns.length < 2) throw nothingToCompactError(describeTooFewTurns(turns.length));
  const { summary } = conversation;
  if (summary?.isWanted && summary.turns >= turns.length - 1) throw nothingToCompactError(nothingNew);
  const writer = options.models[chooseSummaryRole(options.models)];
  if (writer.followsPrompts === false) throw noWriterError(writer);
  const clock = createRunClock({ limits: options.limits, spentMs: 0, callerSignal: signal });
  try {
    const run = openCompaction(options, conversation, clock);
    const older = selectOlderTurns(run, writer);
    const made = await summarizeTurns(run, older, writer);
    signal.throwIfAborted();
    await options.store.summarise(options.conversationId, made, options.branch);
    // An earlier summary stood for turns that this one was written from.
    const { sizing, ...before } = readStoredTurns(run);
    const { tokensOf } = sizing;
    return {
      turns: made.turns,
      tokensBefore: measureSummary(before.summary, sizing) + measureTurns(before.turns, tokensOf),
      tokensAfter: measureSummary(made, sizing) + measureTurns(turns.slice(-1), tokensOf),
      meta: toBill(run, performance.now() - started),
    };
  } finally {
    clock.clear();
  }
}

/** Holds the input of the next summary: the existing one, and all later turns except the last. */
interface OlderTurns {
  known: Summary | undefined;
  turns: readonly ConversationTurn[];
}

/**
 * A summary that only replaces turns which did not fit is rewritten when the turns do fit, because they contain more than it
 * does.
 */
function selectOlderTurns(run: Run, writer: Model): OlderTurns {
  const { turns, summary } = run.input.conversation;
  const all = turns.slice(0, -1);
  const known = summary !== undefined && summary.turns <= all.length ? summary : undefined;
  const isBetter =
    known?.isWanted || !isWithinBudget(all, getRequestBudget(writer, {}) * turnsShare, createSizing(run));
  return isBetter ? { known, turns: all.slice(known?.turns ?? 0) } : { known: undefined, turns: all };
}

/** Opens a run of one turn whose events are discarded. */
function openCompaction(
  { models, store, prompts, limits, locale }: Omit<CompactOptions, "signal">,
  conversation: Conversation,
  clock: RunClock,
): Run {
  const question = conversation.turns.at(-1)?.question ?? "";
  const planPolicy = { unattended: "stop", onFailure: "stop", retries: 0 } as const;
  return openRun(
    { question, mode: "chat", conversation, limits, locale, planPolicy },
    { models, store, prompts, tools: [] },
    { question, clock, record: createRunRecord({ clock, onFailure() {} }), emit() {}, keepOutput() {} },
  );
}

async function summarizeTurns(run: Run, { known, turns }: OlderTurns, writer: Model): Promise<Summary> {
  if (known && turns.length === 0) return { ...known, isWanted: true };
  const sizing = createSizing(run);
  const reason = { zh: `压缩较早的 ${turns.length} 轮`, en: `summarising the earlier turns (${turns.length})` };
  const written = await writeSummary(
    run,
    { summary: known, turns, sizing },
    { reason, ms: run.input.limits.maxExecutionTimeMs },
  );
  const text = requireWholeText(written, writer);
  const budget = getContextWindow(pickSmallerModel(run.services.models)) * historyShare;
  const first = (known?.turns ?? 0) + 1;
  const found = collectFacts(turns, { first, known: known?.facts ?? [], locale: run.input.locale });
  const facts = fitFacts(found, budget * factsShare, sizing);
  return {
    text: shortenText(text, budget * summaryShare, sizing),
    turns: first - 1 + turns.length,
    isWanted: true,
    ...(facts.length > 0 && { facts }),
  };
}

function requireWholeText({ text, finish }: WrittenSummary, writer: Model): string {
  if (finish === "stop" && text !== "") return text;
  const name = toModelName(writer);
  throw new DuetError({
    code: finish === "refused" || finish === "content-filter" ? "content_filter" : "bad_response",
    text: {
      zh: `${name} 没有写完摘要（${text === "" ? "空" : finish}），对话没有改变`,
      en: `${name} did not finish the summary (${text === "" ? "empty" : finish}); the conversation is unchanged`,
    },
    hint: {
      zh: "请再试一次，增大 max_tokens，或换一个模型。",
      en: "Try again, raise max_tokens, or use another model.",
    },
    retryable: true,
  });
}

function measureTurns(turns: readonly ConversationTurn[], tokensOf: (text: string) => number): number {
  return turns.reduce((sum, turn) => sum + turnTokens(turn, tokensOf), 0);
}

function noWriterError(model: Model): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `${toModelName(model)} 不是语言模型，不能压缩对话`,
      en: `${toModelName(model)} is not a language model and cannot summarise the conversation`,
    },
    hint: { zh: "请用 /model 选择一个语言模型。", en: "Choose a language model with /model." },
  });
}

function nothingToCompactError(text: Text): DuetError {
  return new DuetError({ code: "invalid_request", text });
}

function describeTooFewTurns(turns: number): Text {
  return {
    zh: `没有可以压缩的内容：对话有 ${turns} 轮，至少需要 2 轮`,
    en: `nothing to compact: the conversation has ${turns === 1 ? "1 turn" : `${turns} turns`} (at least 2 are needed)`,
  };
}

const nothingNew: Text = {
  zh: "没有可以压缩的内容：除最后一轮外都已压缩",
  en: "nothing to compact: all turns but the last are already in the summary",
};
