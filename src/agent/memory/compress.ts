import { say } from "../../core/locale.ts";
import type { Message } from "../../core/messages.ts";
import type { Model } from "../../core/model.ts";
import { timeLimit, timeoutError } from "../../core/waiting.ts";
import type { ConversationTurn, Summary } from "../conversation.ts";
import { fence } from "../fence.ts";
import type { Run } from "../run.ts";
import type { Sizing } from "../shrink.ts";
import type { Role } from "../statistics.ts";
import { takeTurn } from "../turn.ts";
import { roomOf, windowOf } from "../window.ts";
import { shortenTurns } from "./sizes.ts";

/** What is to become one summary: the last one, and the turns that came after it. */
export interface Older {
  summary: Summary | undefined;
  turns: readonly ConversationTurn[];
  sizing: Sizing;
}

/** Of the room that a request has; the rest is for the prompt, the last summary and the fences. */
const turnsShare = 0.7;

/**
 * Has a model write a summary that keeps names, numbers, decisions and citation numbers. Undefined when it fails, refuses,
 * says nothing, or takes longer than a quarter of the run's time; throws only when the run is cancelled.
 */
export async function compress(run: Run, older: Older): Promise<string | undefined> {
  const role = writerOf(run);
  const model = run.models[role];
  const ms = run.limits.maxExecutionTimeMs / 4;
  const limit = timeLimit(ms, () => timeoutError({ zh: "压缩对话", en: "the summary" }, ms), run.working);
  try {
    const { message, finish } = await takeTurn(run, {
      phase: "decide",
      step: 0,
      role,
      model,
      reason: say(run.locale, {
        zh: `对话较长，压缩较早的 ${older.turns.length} 轮`,
        en: `the conversation is long: summarising its earlier turns (${older.turns.length})`,
      }),
      request: { messages: requestOf(run, model, older), tools: [] },
      signal: limit.signal,
      onText() {},
    });
    const text = message.content.trim();
    const isUsable = finish === "stop" || finish === "length";
    return isUsable && text !== "" ? text : undefined;
  } catch (thrown) {
    if (run.cancelled.aborted) throw thrown;
    return undefined;
  } finally {
    limit.clear();
  }
}

/** The function-call model, unless it looks at nothing but the question (the offline rules). */
function writerOf({ models }: Run): Role {
  return Number.isFinite(windowOf(models.functionCall)) ? "functionCall" : "answer";
}

/** Turns that are too long for the model that is to summarise them are shortened first. */
function requestOf(run: Run, model: Model, { summary, turns: all, sizing }: Older): Message[] {
  const { language, marker } = run;
  const turns = shortenTurns(all, roomOf(model, {}) * turnsShare, { ...sizing, atLeast: 1 });
  const system = run.prompts.render("compress", { model, locale: language }, { marker });
  const first = (summary?.turns ?? 0) + all.length - turns.length + 1;
  const before = summary
    ? [
        `${say(language, { zh: `第 1 到 ${summary.turns} 轮的摘要：`, en: `Summary of turns 1 to ${summary.turns}:` })}\n${fence(summary.text, marker)}`,
      ]
    : [];
  const said = turns.map(({ question, answer }, index) => {
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
