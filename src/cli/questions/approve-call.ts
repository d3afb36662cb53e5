import { setImmediate } from "node:timers/promises";
import type { Approval, ApprovalRequest, ApproveCall } from "../../core/tools/tool.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { approvalNames } from "../../render/choice-texts.ts";
import { showArguments } from "../../render/questions/show-arguments.ts";
import { pickOne, type TypedQuestion } from "./pick-one.ts";
import { type Choice, noWords, type Picking, type Reader, yesWords } from "./reader.ts";

/**
 * Asks at a terminal whether a call may run: once, for the whole conversation where that is offered and all the arguments could
 * be shown, or not, or never in this conversation. The end of the input, Escape and `/exit` are a no; everything else is asked
 * again.
 */
export function createApproveCall(reader: Reader): ApproveCall {
  return async (request, signal) => {
    // The start of the call has been told as an event, and is on the screen once that has been read.
    await setImmediate();
    const { locale, write, leave } = reader;
    const args = showArguments(request.arguments, locale);
    const scope = scopeOf(request.onlyOnce, args.isWhole);
    const tool = showLookAlikes(sanitizeLine(request.tool));
    write(head(tool, request, locale));
    write(showLookAlikes(args.text));
    const typed: TypedQuestion = {
      query: say(locale, question(tool, scope)),
      wanted: say(locale, wanted(scope, leave !== undefined)),
    };
    return (await pickOne(reader, picking(tool, scope, locale), signal, typed)) ?? "no";
  };
}

/** Defines how far an approval reaches: `part` approves one call, because not all of its arguments were shown. */
type Scope = "conversation" | "once" | "part";

function scopeOf(onlyOnce: boolean, isWhole: boolean): Scope {
  if (!isWhole) return "part";
  return onlyOnce ? "once" : "conversation";
}

function head(tool: string, { tool: name, rule }: ApprovalRequest, locale: Locale): string {
  const [server, own] = name.split(/__(.*)/s);
  const from = own === undefined ? { zh: "", en: "" } : { zh: ` · 服务器 ${server}`, en: ` · server ${server}` };
  const text = {
    zh: `🔐 需要同意 · ${tool} · 规则 ${rule}${from.zh}`,
    en: `🔐 needs consent · ${tool} · rule ${rule}${from.en}`,
  };
  return sanitizeLine(say(locale, text));
}

/** Nothing is chosen beforehand: an Enter that was meant for something else agrees to nothing. */
function picking(tool: string, scope: Scope, locale: Locale): Picking<Approval> {
  const choices = answers.filter(({ value }) => value !== "conversation" || scope === "conversation");
  return {
    title: say(locale, title(tool, scope)),
    choices: choices.map(({ value, label, words }): Choice<Approval> => ({ value, label: say(locale, label), words })),
  };
}

const answers: readonly { value: Approval; label: Text; words: readonly string[] }[] = [
  { value: "once", label: approvalNames.once, words: [...yesWords] },
  {
    value: "conversation",
    label: approvalNames.conversation,
    words: ["a", "always", "都允许", "总是"],
  },
  { value: "no", label: approvalNames.no, words: [...noWords] },
  {
    value: "never",
    label: approvalNames.never,
    words: ["never", "都不允许", "总不"],
  },
];

/** It names the tool again: long arguments may have pushed the first line off the screen. */
function title(tool: string, scope: Scope): Text {
  const [zh, en] = [`允许执行 ${tool}？`, `Let ${tool} run?`];
  if (scope !== "part") return { zh, en };
  return {
    zh: `${zh}参数没有全部显示，只能允许这一次。`,
    en: `${en} Not all arguments are shown, so a yes applies to this call only.`,
  };
}

function question(tool: string, scope: Scope): Text {
  const { zh, en } = title(tool, scope);
  const hasAlways = scope === "conversation";
  return {
    zh: `${zh}[${hasAlways ? "y 这一次/a 本次对话中都允许/n" : "y/n"}] `,
    en: `${en} [${hasAlways ? "y once/a always in this conversation/n" : "y/n"}] `,
  };
}

function wanted(scope: Scope, canLeave: boolean): Text {
  const hasAlways = scope === "conversation";
  return {
    zh: `请输入 ${hasAlways ? "y、a 或 n" : "y 或 n"}${canLeave ? "；/exit 拒绝并退出" : ""}。输入 never：本次对话中都不允许。`,
    en: `Type ${hasAlways ? "y, a or n" : "y or n"}${canLeave ? "; /exit declines and exits" : ""}. Type never to refuse for the rest of this conversation.`,
  };
}

/**
 * Makes look-alike letters visible: in a word that mixes Latin with Cyrillic or Greek letters, those stand with their code points
 * behind it, as in `сurl(U+0441)`. Backslash escapes, of JSON or of `printable`, are no letters. Whoever agrees to a call must see
 * what it is about (https://www.unicode.org/reports/tr39/, mixed-script detection).
 */
export function showLookAlikes(text: string): string {
  return text.replace(wordsAndEscapes, (word) => {
    if (word.startsWith("\\") || !latin.test(word)) return word;
    const foreign = [...new Set(word.match(others))];
    return foreign.length === 0 ? word : `${word}(${foreign.map(codePoint).join(" ")})`;
  });
}

const wordsAndEscapes = /\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|[^u])|[\p{L}\p{M}]+/giu;
const latin = /\p{Script=Latin}/u;
const others = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;

function codePoint(letter: string): string {
  return `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
