import { setImmediate } from "node:timers/promises";
import type { AskElicitation } from "../../app/open-duet.ts";
import type { Elicit, Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import { type FormField, readForm } from "../../core/forms/form.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import type { JsonValue } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { isSecretField, readFieldLine, renderField, renderFieldQuery } from "./form-lines.ts";
import { askLine, type Reader } from "./reader.ts";
import { readYesNo, yesOrNo } from "./yes-no.ts";

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
      tell(dialogue, { zh: "– 问题已撤回。", en: "– The question is withdrawn." });
      throw thrown;
    }
  };
}

/** How long a person may think about a question of a call that is made by hand, in milliseconds. */
const thinkingTimeMs = 10 * 60_000;

/** For a call that no agent makes: never rejects, and ends in time. */
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
  /** The configured name of the server, safe to show. */
  from: string;
}

type Form = Elicitation & { kind: "form" };
type Page = Elicitation & { kind: "url" };

/** What was typed, or the end of the question. */
type Said = { line: string } | ElicitationReply;

const cancelled: ElicitationReply = { action: "cancel" };
const declined: ElicitationReply = { action: "decline" };

/** Lines of a message; more would push the server's name off the screen. */
const mostLines = 40;

async function askForm(dialogue: Dialogue, { message, schema }: Form): Promise<ElicitationReply> {
  const { from } = dialogue;
  const fields = readForm(schema) ?? [];
  tell(dialogue, { zh: `❓ MCP 服务器 ${from} 提问：`, en: `❓ The MCP server ${from} asks:` });
  quote(dialogue, linesOf(message));
  tell(dialogue, {
    zh: `  /decline 拒绝，/cancel 取消。${from} 会看到您输入的内容：不要输入密码或密钥。`,
    en: `  /decline says no, /cancel stops. ${from} gets what you type: never type a password or a key.`,
  });
  const content: [string, JsonValue][] = [];
  for (const field of fields) {
    const filled = await askField(dialogue, field);
    if ("action" in filled) return filled;
    if (filled.value !== undefined) content.push([field.name, filled.value]);
  }
  const question =
    fields.length === 0
      ? { zh: `对 ${from} 回答“是”？[y/n] `, en: `Say yes to ${from}? [y/n] ` }
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
    en: "  Nothing was opened. Open it yourself if you trust that host. /decline says no, /cancel stops.",
  });
  return askYesNo(dialogue, { zh: "您已经打开并完成了吗？[y/n] ", en: "Have you been there? [y/n] " });
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
    tell(dialogue, { zh: `需要：${read.problem.zh}。`, en: `Wanted: ${read.problem.en}.` });
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

/** Nothing behind the bar is ours. */
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
  zh: "⚠ 这看起来要的是密码、密钥或证件号码：不要输入。可信的服务会在自己的网页上询问。",
  en: "⚠ This seems to want a password, a key or a card: do not type one. A server to be trusted asks on its own page.",
};
