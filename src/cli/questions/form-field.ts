import { setImmediate } from "node:timers/promises";
import type { AskElicitation, Elicit, Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import { type Choice, type FormField, readForm } from "../../core/forms/form.ts";
import { findValueProblem, getDefaultValue } from "../../core/forms/form-value.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import type { JsonValue } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitize, sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";
import { askLine, type Reader, readYesNo, yesOrNo } from "./reader.ts";

/**
 * Puts a question of a server at a terminal: its message, then field by field, then whether all of it may be sent. What the
 * server says stands behind a bar. `/decline` is a no; `/cancel`, `/exit` and the end of the input are a cancel.
 */
export function createAskElicitation(reader: Reader): AskElicitation {
  return async (question, signal) => {
    // What was told before is on the screen once that has been read.
    await setImmediate();
    const dialogue: Dialogue = { reader, signal, from: sanitizeLine(question.from) };
    try {
      return question.kind === "form" ? await askForm(dialogue, question) : await askPage(dialogue, question);
    } catch (thrown) {
      tell(dialogue, { zh: "– 问题已撤回。", en: "– The question was withdrawn." });
      throw thrown;
    }
  };
}

/** Limits the time to answer a question of a call made by hand, in milliseconds. */
const thinkingTimeMs = 10 * 60_000;

/** Answers questions of a call that no agent makes. Never rejects, and ends in time. */
export function createManualElicit(ask: AskElicitation, ended: AbortSignal): Elicit {
  return async (question, withdrawn) => {
    const stop = AbortSignal.any(withdrawn ? [ended, withdrawn] : [ended]);
    const limit = createTimeLimit(thinkingTimeMs, () => timeoutError("a question", thinkingTimeMs), stop);
    try {
      return await ask(question, limit.signal);
    } catch {
      return cancelled;
    } finally {
      limit.clear();
    }
  };
}

interface Dialogue {
  reader: Reader;
  signal: AbortSignal;
  /** Holds the configured name of the server, safe to show. */
  from: string;
}

type Form = Elicitation & { kind: "form" };

type Page = Elicitation & { kind: "url" };

/** Holds a typed line, or the reply that ends the question. */
type Said = { line: string } | ElicitationReply;

const cancelled: ElicitationReply = { action: "cancel" };
const declined: ElicitationReply = { action: "decline" };

/** Limits the lines of a message; more would push the server's name off the screen. */
const mostLines = 40;

async function askForm(dialogue: Dialogue, { message, schema }: Form): Promise<ElicitationReply> {
  const { from } = dialogue;
  const fields = readForm(schema) ?? [];
  tell(dialogue, { zh: `❓ MCP 服务器 ${from} 提问：`, en: `❓ The MCP server ${from} asks:` });
  quote(dialogue, linesOf(message));
  tell(dialogue, {
    zh: `  /decline 拒绝，/cancel 取消。${from} 会看到您输入的内容：不要输入密码或密钥。`,
    en: `  /decline declines, /cancel cancels. ${from} sees what you type: never type a password or a key.`,
  });
  const content: [string, JsonValue][] = [];
  for (const field of fields) {
    const filled = await askField(dialogue, field);
    if ("action" in filled) return filled;
    if (filled.value !== undefined) content.push([field.name, filled.value]);
  }
  const question =
    fields.length === 0
      ? { zh: `对 ${from} 回答“是”？[y/n] `, en: `Answer yes to ${from}? [y/n] ` }
      : { zh: `把以上内容发送给 ${from}？[y/n] `, en: `Send this to ${from}? [y/n] ` };
  const reply = await askYesNo(dialogue, question);
  return reply.action === "accept" ? { ...reply, content: Object.fromEntries(content) } : reply;
}

/** The address is shown; nothing is opened. */
async function askPage(dialogue: Dialogue, { message, url }: Page): Promise<ElicitationReply> {
  const { from } = dialogue;
  tell(dialogue, {
    zh: `🔗 MCP 服务器 ${from} 请您打开一个网页：`,
    en: `🔗 The MCP server ${from} asks you to open a page:`,
  });
  quote(dialogue, linesOf(message));
  const host = sanitizeLine(URL.canParse(url) ? new URL(url).host : "?");
  tell(dialogue, { zh: `  ${sanitizeLine(url)}\n  主机：${host}`, en: `  ${sanitizeLine(url)}\n  Host: ${host}` });
  tell(dialogue, {
    zh: "  没有替您打开任何网页；确认主机可信再自行打开。/decline 拒绝，/cancel 取消。",
    en: "  Nothing was opened. Open it yourself if you trust that host. /decline declines, /cancel cancels.",
  });
  return askYesNo(dialogue, { zh: "您已经打开并完成了吗？[y/n] ", en: "Have you finished there? [y/n] " });
}

async function askField(
  dialogue: Dialogue,
  field: FormField,
): Promise<{ value: JsonValue | undefined } | ElicitationReply> {
  const { locale } = dialogue.reader;
  quote(dialogue, renderField(field, locale));
  if (isSecretField(field)) tell(dialogue, noSecrets);
  for (;;) {
    const said = await ask(dialogue, renderFieldQuery(field, locale));
    if ("action" in said) return said;
    const read = readFieldLine(field, said.line);
    if ("value" in read) return read;
    tell(dialogue, { zh: `需要：${read.problem.zh}。`, en: `Expected: ${read.problem.en}.` });
  }
}

async function askYesNo(dialogue: Dialogue, question: Text): Promise<ElicitationReply> {
  for (;;) {
    const said = await ask(dialogue, say(dialogue.reader.locale, question));
    if ("action" in said) return said;
    const answer = readYesNo(said.line);
    if (answer !== undefined) return answer ? { action: "accept" } : declined;
    if (said.line !== "") tell(dialogue, yesOrNo);
  }
}

async function ask({ reader, signal }: Dialogue, query: string): Promise<Said> {
  const line = (await askLine(reader, query, signal))?.trim();
  const command = line?.toLowerCase();
  if (command === "/exit") reader.leave?.();
  if (line === undefined || command === "/exit" || command === "/cancel") return cancelled;
  return command === "/decline" ? declined : { line };
}

/** Prints the server's text behind a bar, which marks it as not ours. */
function quote({ reader }: Dialogue, lines: readonly string[]): void {
  for (const line of lines) reader.write(`│ ${sanitize(line)}`);
}

function linesOf(message: string): string[] {
  const lines = sanitize(message).split("\n");
  return lines.length > mostLines ? [...lines.slice(0, mostLines), "…"] : lines;
}

function tell({ reader }: Dialogue, text: Text): void {
  reader.write(say(reader.locale, text));
}

const noSecrets: Text = {
  zh: "⚠ 这看起来要的是密码、密钥或卡号：不要输入。可信的服务会在自己的网页上询问。",
  en: "⚠ This seems to ask for a password, a key or a card number: do not type one. A trustworthy server asks on its own page.",
};

/** Describes a field with its numbered choices; the words come from the server and are shown as such. */
export function renderField(field: FormField, locale: Locale): string[] {
  const { title, name, description, required } = field;
  const need = required ? say(locale, { zh: "（必填）", en: " (required)" }) : "";
  const why = description ? ` — ${sanitizeLine(description)}` : "";
  const choices = "choices" in field ? field.choices : [];
  return [
    `${sanitizeLine(title ?? name)}${need}${why}`,
    ...choices.map((choice, index) => `  ${index + 1}) ${sanitizeLine(choice.title)}`),
  ];
}

/** Renders the query for one field: its name, the expected value and the meaning of an empty line. */
export function renderFieldQuery(field: FormField, locale: Locale): string {
  const hints = [wanted(field), emptyMeans(field)].flatMap((hint) => (hint ? [say(locale, hint)] : []));
  const hint = hints.length > 0 ? ` [${hints.join(" · ")}]` : "";
  return `${toShortLine(field.title ?? field.name, 60)}${hint}: `;
}

/**
 * Parses a line as the field's value, which is undefined when the field is skipped; a `problem` says what is expected instead.
 */
export function readFieldLine(field: FormField, line: string): { value: JsonValue | undefined } | { problem: Text } {
  if (line === "") {
    const value = getDefaultValue(field) ?? (field.kind === "choices" && field.required ? [] : undefined);
    const isMissing = value === undefined ? field.required : findValueProblem(field, value) !== undefined;
    return isMissing ? { problem: needed } : { value };
  }
  const value = readValue(field, line);
  const problem = findValueProblem(field, value);
  return problem || value === undefined ? { problem: problem ?? needed } : { value };
}

/** Returns true when the field seems to ask for a secret, which nobody should type into a form. */
export function isSecretField({ name, title = "", description = "" }: FormField): boolean {
  // Words of a name may be written together, parted by case or by underscores.
  const words = `${name.replace(/([a-z])([A-Z])/g, "$1 $2")} ${title} ${description}`.replace(/[_-]/g, " ");
  return secretWords.test(words);
}

const secretWords =
  /pass ?(word|wd|phrase|code)|\b(pwd|secret|credentials?|token|pin|otp|cvv|cvc|ssn)\b|(api|private|access|secret) ?key|card number|密码|口令|密钥|令牌|验证码|信用卡|银行卡|身份证/i;

function readValue(field: FormField, line: string): JsonValue | undefined {
  switch (field.kind) {
    case "text":
      return line;
    case "number": {
      const digits = line.normalize("NFKC");
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits) ? Number(digits) : undefined;
    }
    case "boolean":
      return readYesNo(line);
    case "choice":
      return chosen(field, line);
    case "choices": {
      const values = line.split(/[\s,，、;；]+/).map((part) => chosen(field, part));
      return values.every((value) => value !== undefined) ? values : undefined;
    }
  }
}

/** Finds a choice by its number, or else by its exact text. */
function chosen({ choices }: { choices: readonly Choice[] }, words: string): string | undefined {
  const digits = words.normalize("NFKC");
  const numbered = /^\d+$/.test(digits) ? choices[Number(digits) - 1] : undefined;
  return (numbered ?? choices.find(({ value, title }) => value === words || title === words))?.value;
}

function wanted(field: FormField): Text | undefined {
  switch (field.kind) {
    case "text":
      return field.format && formats[field.format];
    case "number":
      return numbers(field);
    case "boolean":
      return { zh: "y/n", en: "y/n" };
    case "choice":
      return { zh: `1-${field.choices.length}`, en: `1-${field.choices.length}` };
    case "choices":
      return {
        zh: `1-${field.choices.length}，可选几项，如 1,2`,
        en: `1-${field.choices.length}, several allowed, such as 1,2`,
      };
  }
}

function numbers({ isWhole, minimum, maximum }: FormField & { kind: "number" }): Text {
  const range = minimum === undefined && maximum === undefined ? "" : ` ${minimum ?? ""}..${maximum ?? ""}`;
  return isWhole ? { zh: `整数${range}`, en: `whole number${range}` } : { zh: `数字${range}`, en: `number${range}` };
}

function emptyMeans(field: FormField): Text | undefined {
  const value = getDefaultValue(field);
  if (value === undefined) return field.required ? undefined : { zh: "回车：不填", en: "Enter: skip" };
  const shown = toShortLine(showValue(field, value), 60);
  return { zh: `回车：${shown}`, en: `Enter: ${shown}` };
}

function showValue(field: FormField, value: JsonValue): string {
  if (typeof value === "boolean") return value ? "y" : "n";
  const titles = "choices" in field ? field.choices : [];
  const titleOf = (one: JsonValue): string => titles.find((choice) => choice.value === one)?.title ?? String(one);
  return Array.isArray(value) ? value.map(titleOf).join(", ") : titleOf(value);
}

const formats = {
  email: { zh: "邮箱", en: "e-mail" },
  uri: { zh: "网址", en: "web address" },
  date: { zh: "日期，如 2026-11-30", en: "date, such as 2026-11-30" },
  "date-time": { zh: "时间，如 2026-11-30T14:00:00+08:00", en: "time, such as 2026-11-30T14:00:00Z" },
};
const needed: Text = { zh: "一个回答", en: "an answer" };
