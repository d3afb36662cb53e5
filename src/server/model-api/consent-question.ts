import { readPlanReply } from "../../core/questions/plan-reply.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitize, sanitizeLine, toSafeJson } from "../../kit/text/sanitize.ts";
import type { ConsentRound } from "../../runs/client-calls.ts";

/** Returns the code of the question with which an answer ends, or undefined where it ends with none. */
export function findConsentCode(answer: string): string | undefined {
  return /`(consent-[0-9a-f]{16})`\s*$/.exec(answer)?.[1];
}

/**
 * Asks in an answer whether a call may be made. All arguments are shown: what is out of sight would be agreed to unseen. The answer's
 * last words are the code, by which the next message finds the question.
 */
export function renderConsentQuestion({ code, question: { question, until } }: ConsentRound, locale: Locale): string {
  const { tool, arguments: args, rule, reason } = question;
  const json = sanitize(toSafeJson(args, 2));
  const fence = "`".repeat(Math.max(3, ...[...json.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const name = sanitizeLine(tool);
  const why = [say(locale, { zh: `规则：${sanitizeLine(rule)}。`, en: `Rule: ${sanitizeLine(rule)}.` }), reason];
  const time = describeTime(until - Date.now());
  return [
    say(locale, { zh: `**是否允许运行 \`${name}\`？**`, en: `**May \`${name}\` be run?**` }),
    `${fence}json\n${json}\n${fence}`,
    why
      .filter((line) => line !== undefined)
      .map(sanitizeLine)
      .join(say(locale, { zh: "", en: " " })),
    say(locale, {
      zh: `回复**是**（或“好”“可以”“同意”等），就按上面的内容运行；回复**否**，就不运行。回复不表示同意的内容，或超过 ${time.zh}，也不运行。\`${code}\``,
      en: `Reply **yes** (or ok, sure, allow) to run exactly this, or **no**. It does not run after a reply that does not agree, or after ${time.en}. \`${code}\``,
    }),
  ].join("\n\n");
}

function describeTime(ms: number): Text {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 60) return { zh: `${seconds} 秒`, en: `${seconds} s` };
  const minutes = Math.floor(seconds / 60);
  return { zh: `${minutes} 分钟`, en: `${minutes} min` };
}

const yes =
  /^(?:yes,? (?:please|run it|do it|go ahead)|run it|do it|allow(?: it)?|approved?|同意|允许|批准|运行|运行吧|可以运行|是，运行)$/i;
const no =
  /^(?:no,? (?:thanks|thank you|don't|do not)|don't(?: run it)?|do not(?: run it)?|deny|denied|不运行|不同意|不允许|拒绝)$/i;

/** Reads a reply to such a question. Returns undefined for words that are neither a yes nor a no. */
export function readConsentReply(words: string): "yes" | "no" | undefined {
  const plain = words
    .trim()
    .replace(/[.!。！*\s]+$/, "")
    .replace(/^\*+/, "");
  if (yes.test(plain)) return "yes";
  if (no.test(plain)) return "no";
  const read = readPlanReply(plain)?.reply;
  return read === "edit" ? undefined : read;
}
