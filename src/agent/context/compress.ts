import { mapTexts, toPlainText } from "../../core/model/message-content.ts";
import type { Message } from "../../core/model/messages.ts";
import type { FinishReason, Model } from "../../core/model/model.ts";
import type { ConversationTurn, Summary } from "../../core/store/conversations/conversation.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import type { ModelRole } from "../limits/statistics.ts";
import { runTurn } from "../loop/turn/run-turn.ts";
import { toPlaceholderValues } from "../prompts/prompt-values.ts";
import type { Models, Run, RunInput } from "../run.ts";
import { removeCallsLeft } from "./calls-left.ts";
import { getContextWindow, getRequestBudget } from "./context-window.ts";
import { fence, readFenced } from "./fence.ts";
import { shortenTurns } from "./fit-turns.ts";
import type { Sizing } from "./shrink.ts";
import { describeTurnFiles } from "./turn-files.ts";
import { joinSaid } from "./turn-messages.ts";

/** Holds the input of one summary: the last one, and the turns that came after it. */
export interface OlderTurns {
  summary: Summary | undefined;
  turns: readonly ConversationTurn[];
  sizing: Sizing;
}

/** Older turns may take this share of a request's budget; the rest is for the prompt, the last summary and the fences. */
export const turnsShare = 0.7;

/** Holds what the model wrote, however its turn ended. */
export interface WrittenSummary {
  text: string;
  finish: FinishReason;
}

/** Says why a summary is written, in words for the reader, and limits the time in milliseconds. */
export interface SummaryRequest {
  reason: Text;
  ms: number;
}

/**
 * Has a model write a summary in place of the older turns of a long conversation. Undefined when it fails, refuses, says nothing,
 * or takes longer than a quarter of the run's time; throws only when the run is cancelled.
 */
export async function compress(run: Run, older: OlderTurns): Promise<string | undefined> {
  const count = older.turns.length;
  const reason = {
    zh: `对话较长，压缩较早的 ${count} 轮`,
    en: `the conversation is long: summarising its earlier turns (${count})`,
  };
  try {
    const { text, finish } = await writeSummary(run, older, { reason, ms: run.input.limits.maxExecutionTimeMs / 4 });
    const isUsable = finish === "stop" || finish === "length";
    return isUsable && text !== "" ? text : undefined;
  } catch (thrown) {
    if (run.services.clock.callerSignal.aborted) throw thrown;
    return undefined;
  }
}

/** Has a model write a summary that keeps names, numbers, decisions and citation numbers. Throws what the model throws. */
export async function writeSummary(
  run: Run,
  older: OlderTurns,
  { reason, ms }: SummaryRequest,
): Promise<WrittenSummary> {
  const role = chooseSummaryRole(run.services.models);
  const model = run.services.models[role];
  const limit = createTimeLimit(
    ms,
    () => timeoutError({ zh: "压缩对话", en: "the summary" }, ms),
    run.services.clock.decideSignal,
  );
  try {
    const { message, finish } = await runTurn(run, {
      phase: "compact",
      kind: "compress",
      step: 0,
      role,
      model,
      reason: say(run.input.locale, reason),
      request: { messages: requestOf(run, model, older), tools: [] },
      signal: limit.signal,
      onText() {},
    });
    return { text: message.content.trim(), finish };
  } finally {
    limit.clear();
  }
}

/** Returns the function-call model, unless it reads only the question (the offline rules). */
export function chooseSummaryRole(models: Models): ModelRole {
  return Number.isFinite(getContextWindow(models.functionCall)) ? "functionCall" : "answer";
}

/** Limits what the summary's author reads of a call's arguments and of its result, in characters. */
const longestArguments = 200;
const longestResult = 600;

/**
 * Returns a turn as words: its files are named, and its calls stand before the answer. What models were told to do about a result is
 * left out: it is no part of the conversation.
 */
function toWords(turn: ConversationTurn, { language, marker }: RunInput): ConversationTurn {
  const removeAdvice = (text: string): string => readFenced(removeCallsLeft(text), marker);
  const described = describeTurnFiles(turn, language);
  const { answer, steps = [] } = described;
  const calls = steps.flatMap(({ message, results }) =>
    results.map(({ callId, tool, result, content, ok }) => {
      const call = message.toolCalls.find(({ id }) => id === callId);
      const n = result === undefined ? "" : ` (result ${result})`;
      const said = toShortLine(toPlainText(mapTexts(content, removeAdvice), language), longestResult);
      const failed = ok === false ? say(language, callFailed) : "";
      return `[${tool} ${toShortLine(call?.argumentsText ?? "", longestArguments)}${n}: ${failed}${said}]`;
    }),
  );
  return { question: joinSaid(described), answer: [...calls, answer].join("\n\n") };
}

const callFailed: Text = { zh: "调用失败：", en: "failed: " };

/** Turns that are too long for the model that is to summarise them are shortened first. */
function requestOf(run: Run, model: Model, { summary, turns: all, sizing }: OlderTurns): Message[] {
  const { language, marker } = run.input;
  const turns = shortenTurns(
    all.map((turn) => toWords(turn, run.input)),
    getRequestBudget(model, {}) * turnsShare,
    { ...sizing, marker, atLeast: 1 },
  );
  const system = run.services.prompts.render("compress", { model, locale: language }, toPlaceholderValues(run));
  const first = (summary?.turns ?? 0) + all.length - turns.length + 1;
  const before = summary
    ? [
        `${say(language, { zh: `第 1 到 ${summary.turns} 轮的摘要：`, en: `Summary of turns 1 to ${summary.turns}:` })}\n${fence(summary.text, marker)}`,
      ]
    : [];
  const said = turns.map((turn, index) => {
    const { question, answer } = turn;
    const title = say(language, { zh: `第 ${first + index} 轮：`, en: `Turn ${first + index}:` });
    const words = say(language, {
      zh: `用户：${question}\n\n助手：${answer}`,
      en: `User: ${question}\n\nAssistant: ${answer}`,
    });
    return `${title}\n${fence(words, marker)}`;
  });
  const task = say(language, {
    zh: "请把以上内容写成一份摘要，不超过 800 字；只写摘要。",
    en: "Write one summary of all this in at most 500 words; write nothing but the summary.",
  });
  return [
    { role: "system", content: system },
    { role: "user", content: [...before, ...said, task].join("\n\n") },
  ];
}
