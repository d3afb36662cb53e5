import { setImmediate } from "node:timers/promises";
import type { FormField } from "../../core/forms/form.ts";
import type { User } from "../../core/questions/user.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { getOwnValue, type JsonObject, type JsonValue } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { quoteLines, type TerminalWording, toTerminalWording } from "../../render/questions/terminal-wording.ts";
import { isSecretField, readFieldLine, renderField, renderFieldQuery } from "./form-field.ts";
import { findChoice } from "./pick-one.ts";
import { askLine, type Reader } from "./reader.ts";

export interface TerminalUserOptions extends Omit<Reader, "leave"> {
  /** Is true when what events show has to be shown with the question, because nothing else shows it. */
  showsEvents: boolean;
  /** Runs after `/exit`. `endsRun` is true when the reply to the question ends the run by itself. */
  leave?(endsRun: boolean): void;
}

/**
 * Creates the user at a terminal, who is asked all questions of a run: the lines of a question, then field by field, then the reply. The end of the input,
 * Escape and `/exit` give the reply of somebody who leaves; an empty line and everything that is no reply is asked again.
 */
export function createTerminalUser({ showsEvents, leave, ...reader }: TerminalUserOptions): User {
  return {
    canAsk: () => true,
    person: reader,
    async ask(question, signal) {
      // What an event has shown before the question is on the screen once that has been read.
      await setImmediate();
      const wording = toTerminalWording(question, { locale: reader.locale, canLeave: leave !== undefined });
      const leaveRun = leave && (() => leave(wording.endsRun ?? false));
      return askWording({ reader: { ...reader, leave: leaveRun }, signal, wording }, showsEvents);
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
    if (showsEvents || !wording.repeatsEvent) for (const line of wording.lines) reader.write(line);
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
  if (list && reader.pick) return (await reader.pick(list, signal)) ?? left;
  for (;;) {
    const typed = await askTyped(dialogue, query);
    if ("reply" in typed) return typed.reply;
    const { line } = typed;
    const choice = list && findChoice(line.toLowerCase(), list.choices);
    const reply = choice ? choice.value : wording.read?.(line, content);
    if (reply !== undefined) return reply;
    if (line !== "") reader.write(hint);
  }
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
