import { setImmediate } from "node:timers/promises";
import type { FolderConsent } from "../../app/questions/folder-consent.ts";
import type { Choice, FormField } from "../../core/forms/form.ts";
import { findValueProblem, getDefaultValue } from "../../core/forms/form-value.ts";
import type { User } from "../../core/questions/user.ts";
import type { QuestionKind, UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { readYesNo } from "../../core/questions/yes-no.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { getOwnValue, type JsonObject, type JsonValue } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";
import { wordCall } from "../../render/questions/call-wording.ts";
import {
  quoteLines,
  type TerminalChoice,
  type TerminalWording,
  toTerminalWording,
} from "../../render/questions/terminal-wording.ts";
import { askAboutCall, toShownLines } from "./ask-about-call.ts";
import { findChoice } from "./pick-one.ts";
import { askLine, type Reader } from "./reader.ts";

export interface TerminalUserOptions extends Omit<Reader, "leave"> {
  /** Is true when what events show has to be shown with the question, because nothing else shows it. */
  showsEvents: boolean;
  /** Provides what is shown of calls, and the rules that allow some; when absent, calls are shown by their arguments alone. */
  consent?: FolderConsent | undefined;
  /** Runs after `/exit`. `endsRun` is true when the reply to the question ends the run by itself. */
  leave?(endsRun: boolean): void;
}

type Ask<K extends QuestionKind> = (question: UserQuestion<K>, signal: AbortSignal) => Promise<UserReply<K>>;

/**
 * Creates the user at a terminal, who is asked all questions of a run: the lines of a question, then field by field, then the reply. The end of the input,
 * Escape and `/exit` give the reply of somebody who leaves; an empty line and everything that is no reply is asked again.
 */
export function createTerminalUser({ showsEvents, leave, consent, ...reader }: TerminalUserOptions): User {
  const options = { locale: reader.locale, canLeave: leave !== undefined };

  function askWorded<R>(wording: TerminalWording<R>, signal: AbortSignal): Promise<R> {
    const leaveRun = leave && (() => leave(wording.endsRun ?? false));
    return askWording({ reader: { ...reader, leave: leaveRun }, signal, wording }, showsEvents);
  }

  const askPlain =
    <K extends Exclude<QuestionKind, "call">>(): Ask<K> =>
    (question, signal) =>
      askWorded(toTerminalWording(question, options), signal);

  const asks: { [K in QuestionKind]: Ask<K> } = {
    call: (question, signal) =>
      askAboutCall(question, {
        consent,
        reader,
        ask: (more) => askWorded(wordCall(question, { ...options, isSpoken: reader.isSpoken, ...more }), signal),
      }),
    plan: askPlain(),
    form: askPlain(),
    limit: askPlain(),
    url: askPlain(),
  };
  return {
    canAsk: () => true,
    person: reader,
    async ask(question, signal) {
      // What an event has shown before the question is on the screen once that has been read.
      await setImmediate();
      return asks[question.kind](question, signal);
    },
  };
}

/** Limits the time to answer a question of a call made by hand, in milliseconds. */
const thinkingTimeMs = 10 * 60_000;

/** Limits the time for each question of a call that no agent makes. A question that is not answered in time has no reply. */
export function limitThinkingTime({ ask, ...user }: User): User {
  return {
    ...user,
    async ask(question, signal) {
      const limit = createTimeLimit(thinkingTimeMs, () => timeoutError("a question", thinkingTimeMs), signal);
      try {
        return await ask(question, limit.signal);
      } finally {
        limit.clear();
      }
    },
  };
}

interface Dialogue<R> {
  reader: Reader;
  signal: AbortSignal;
  wording: TerminalWording<R>;
}

async function askWording<R>(dialogue: Dialogue<R>, showsEvents: boolean): Promise<R> {
  const { reader, wording } = dialogue;
  try {
    if (showsEvents || !wording.repeatsEvent)
      for (const line of toShownLines(wording.lines, reader)) reader.write(line);
    const content: [string, JsonValue][] = [];
    for (const field of wording.fields ?? []) {
      const filled = await askField(dialogue, field);
      if ("reply" in filled) return filled.reply;
      if (filled.value !== undefined) content.push([field.name, filled.value]);
    }
    return await askReply(dialogue, Object.fromEntries(content));
  } catch (thrown) {
    if (wording.withdrawn !== undefined) reader.write(wording.withdrawn);
    throw thrown;
  }
}

async function askField<R>(
  dialogue: Dialogue<R>,
  field: FormField,
): Promise<{ value: JsonValue | undefined } | { reply: R }> {
  const { locale, write } = dialogue.reader;
  for (const line of quoteLines(renderField(field, locale))) write(line);
  if (isSecretField(field)) write(say(locale, noSecrets));
  for (;;) {
    const typed = await askTyped(dialogue, renderFieldQuery(field, locale));
    if ("reply" in typed) return typed;
    const read = readFieldLine(field, typed.line);
    if ("value" in read) return read;
    write(say(locale, { zh: `需要：${read.problem.zh}。`, en: `Expected: ${read.problem.en}.` }));
  }
}

async function askReply<R>(dialogue: Dialogue<R>, content: JsonObject): Promise<R> {
  const { reader, signal, wording } = dialogue;
  const { list, query, hint, left } = wording;
  if (list && reader.pick) {
    const { choices } = list;
    // Two choices may have the same value, so the place is what is picked.
    const places = choices.map(({ label, words }, value) => ({ value, label, words }));
    const place = await reader.pick({ title: list.title, choices: places }, signal);
    const choice = place === undefined ? undefined : choices[place];
    return choice === undefined ? left : takeChoice(dialogue, choice);
  }
  for (;;) {
    const typed = await askTyped(dialogue, query);
    if ("reply" in typed) return typed.reply;
    const { line } = typed;
    const choice = list && findChoice(line.toLowerCase(), list.choices);
    if (choice) return takeChoice(dialogue, choice);
    const reply = wording.read?.(line, content);
    if (reply !== undefined) return reply;
    if (line !== "") reader.write(hint);
  }
}

/** Asks for the words of a choice that needs some; without any, it counts as its value. */
async function takeChoice<R>(dialogue: Dialogue<R>, { value, ask }: TerminalChoice<R>): Promise<R> {
  if (ask === undefined) return value;
  const typed = await askTyped(dialogue, ask.query);
  if ("reply" in typed) return typed.reply;
  return typed.line === "" ? value : ask.toReply(typed.line);
}

/** Asks for one line, without the blanks around it. A command of the question, and leaving, are replies already. */
async function askTyped<R>(
  { reader, signal, wording }: Dialogue<R>,
  query: string,
): Promise<{ line: string } | { reply: R }> {
  const line = (await askLine(reader, query, signal))?.trim();
  const command = line?.toLowerCase();
  if (command === "/exit") reader.leave?.();
  if (line === undefined || command === undefined || command === "/exit") return { reply: wording.left };
  const reply = getOwnValue(wording.commands ?? {}, command);
  return reply === undefined ? { line } : { reply };
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
  const hints = [describeWanted(field), describeEmpty(field)].flatMap((hint) => (hint ? [say(locale, hint)] : []));
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
      return matchChoice(field, line);
    case "choices": {
      const values = line.split(/[\s,，、;；]+/).map((part) => matchChoice(field, part));
      return values.every((value) => value !== undefined) ? values : undefined;
    }
  }
}

/** Finds a choice by its number, or else by its exact text. */
function matchChoice({ choices }: { choices: readonly Choice[] }, words: string): string | undefined {
  const digits = words.normalize("NFKC");
  const numbered = /^\d+$/.test(digits) ? choices[Number(digits) - 1] : undefined;
  return (numbered ?? choices.find(({ value, title }) => value === words || title === words))?.value;
}

function describeWanted(field: FormField): Text | undefined {
  switch (field.kind) {
    case "text":
      return field.format && formats[field.format];
    case "number":
      return describeNumbers(field);
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

function describeNumbers({ isWhole, minimum, maximum }: FormField & { kind: "number" }): Text {
  const range = minimum === undefined && maximum === undefined ? "" : ` ${minimum ?? ""}..${maximum ?? ""}`;
  return isWhole ? { zh: `整数${range}`, en: `whole number${range}` } : { zh: `数字${range}`, en: `number${range}` };
}

function describeEmpty(field: FormField): Text | undefined {
  const value = getDefaultValue(field);
  if (value === undefined) return field.required ? undefined : { zh: "回车：不填", en: "Enter: skip" };
  const shown = toShortLine(showValue(field, value), 60);
  return { zh: `回车：${shown}`, en: `Enter: ${shown}` };
}

function showValue(field: FormField, value: JsonValue): string {
  if (typeof value === "boolean") return value ? "y" : "n";
  const titles = "choices" in field ? field.choices : [];
  const findTitle = (one: JsonValue): string => titles.find((choice) => choice.value === one)?.title ?? String(one);
  return Array.isArray(value) ? value.map(findTitle).join(", ") : findTitle(value);
}

const formats = {
  email: { zh: "邮箱", en: "e-mail" },
  uri: { zh: "网址", en: "web address" },
  date: { zh: "日期，如 2026-11-30", en: "date, such as 2026-11-30" },
  "date-time": { zh: "时间，如 2026-11-30T14:00:00+08:00", en: "time, such as 2026-11-30T14:00:00Z" },
};
const needed: Text = { zh: "一个回答", en: "an answer" };
