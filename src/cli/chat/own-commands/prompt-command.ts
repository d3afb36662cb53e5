import type { Gateway } from "../../../app/tools/gateway.ts";
import { makeTextVisible } from "../../../client/trust/hidden-characters.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { sanitize, toShortLine } from "../../../kit/text/sanitize.ts";
import { pickOne } from "../../questions/pick-one.ts";
import type { Reader } from "../../questions/reader.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import { type ChatCommand, commandError } from "../commands/chat-command.ts";
import { splitArguments } from "./command-file.ts";

interface PromptArgument {
  name: string;
  isRequired: boolean;
}

/** Limits how many lines of a server's text are shown at first. */
const mostLines = 20;

/** Lists the prompts of the MCP servers as commands, named `/server__prompt`. Rejects where the servers cannot be asked. */
export async function listPromptCommands(gateway: Gateway, signal: AbortSignal): Promise<ChatCommand[]> {
  const prompts = await gateway.prompts(signal);
  return prompts.map((prompt) => {
    const name = toText(prompt.name);
    const known = readArguments(prompt.arguments);
    const said = toShortLine(toText(prompt.description) || toText(prompt.title), 200);
    return {
      name: `/${name}`,
      argument: known.map(toHint).join(" "),
      help: { zh: `${said}（MCP 提示词）`, en: `${said} (MCP prompt)` },
      async run(chat, argument, stop) {
        const args = matchArguments(argument, known, name);
        const given = await gateway.getPrompt(name, args, { signal: stop, onProgress: () => {} });
        await askPrompt(chat, { name, messages: given?.messages }, stop);
        return undefined;
      },
    };
  });
}

function readArguments(value: unknown): PromptArgument[] {
  const all = Array.isArray(value) ? value.filter(isRecord) : [];
  return all.flatMap(({ name, required }) =>
    typeof name === "string" ? [{ name, isRequired: required === true }] : [],
  );
}

function toHint({ name, isRequired }: PromptArgument): string {
  const shown = toShortLine(name, 40);
  return isRequired ? shown : `[${shown}]`;
}

/**
 * Reads `name=value`, and any other word as the next argument without a value; the last one takes all further words. An unknown name
 * is an error, unless the whole word stands in quotes.
 */
function matchArguments(typed: string, known: readonly PromptArgument[], prompt: string): Record<string, string> {
  const args = new Map<string, string>();
  let last: string | undefined;
  for (const word of splitArguments(typed)) {
    const [, key = "", value = ""] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
    const named = known.find(({ name }) => name === key)?.name;
    const next = known.find(({ name }) => !args.has(name))?.name;
    if (named !== undefined) args.set(named, value);
    else if (isName(key) && !isQuoted(word, typed))
      throw commandError(describeUnknown(prompt, key), describeUsage(prompt, known));
    else if (next !== undefined) args.set(next, word);
    else if (last === undefined) throw commandError(describeUnexpected(prompt, word));
    else args.set(last, `${args.get(last)} ${word}`);
    last = named ?? next ?? last;
  }
  const missing = known.find(({ name, isRequired }) => isRequired && !args.has(name));
  if (missing) throw commandError(describeMissing(prompt, missing.name), describeUsage(prompt, known));
  return Object.fromEntries(args);
}

function isName(key: string): boolean {
  return /^[A-Za-z_][\w-]*$/.test(key);
}

function isQuoted(word: string, typed: string): boolean {
  return typed.includes(`"${word}"`) || typed.includes(`'${word}'`);
}

function describeUnknown(prompt: string, key: string): Text {
  const shown = toShortLine(key, 40);
  return { zh: `/${prompt} 没有参数 "${shown}"`, en: `/${prompt} has no argument "${shown}"` };
}

function describeUnexpected(prompt: string, word: string): Text {
  const shown = toShortLine(word, 40);
  return { zh: `/${prompt} 不接受参数 "${shown}"`, en: `/${prompt} takes no argument (given: "${shown}")` };
}

function describeMissing(prompt: string, name: string): Text {
  const shown = toShortLine(name, 40);
  return { zh: `/${prompt} 缺少参数 ${shown}`, en: `/${prompt}: the argument ${shown} is missing` };
}

function describeUsage(prompt: string, known: readonly PromptArgument[]): Text {
  const usage = `/${prompt} ${known.map(toHint).join(" ")}`;
  return { zh: `用法：${usage}`, en: `Usage: ${usage}` };
}

/**
 * Asks what the server has written, after showing it: it goes to the models as if it had been typed, but names no files of this
 * machine. Of a long text the rest is shown on request, before it is sent.
 */
async function askPrompt(
  chat: Chat,
  { name, messages }: { name: string; messages: unknown },
  signal: AbortSignal,
): Promise<void> {
  const texts = (Array.isArray(messages) ? messages.filter(isRecord) : []).map(({ role, content }) => {
    const text = toContentText(content);
    return role === "assistant" && text !== "" ? `> ${text.replaceAll("\n", "\n> ")}` : text;
  });
  const question = makeTextVisible(texts.filter((text) => text !== "").join("\n\n"));
  if (question.trim() === "") throw commandError({ zh: `/${name} 没有给出文字`, en: `/${name} gave no text` });
  const lines = sanitize(question)
    .split("\n")
    .map((line) => createLine(`  ${line}`, "dim"));
  if (chat.reader && lines.length > mostLines) {
    if (!(await isAgreedTo({ chat, reader: chat.reader, name, lines }, signal))) return;
  } else chat.write(...lines);
  signal.throwIfAborted();
  await chat.ask(question, chat.settings.mode, { attachesFiles: false });
}

/** Shows the beginning of a long text, and is true where somebody wants it to be sent. */
async function isAgreedTo(
  { chat, reader, name, lines }: { chat: Chat; reader: Reader; name: string; lines: readonly Line[] },
  signal: AbortSignal,
): Promise<boolean> {
  const { locale } = chat.settings;
  const more = lines.length - mostLines;
  const rest = say(locale, { zh: `  … 还有 ${more} 行`, en: `  … ${more} more lines` });
  chat.write(...lines.slice(0, mostLines), createLine(rest, "dim"));
  const title = say(locale, {
    zh: "发送这段由服务器给出的文字吗？",
    en: "Send this text, which the server has written?",
  });
  const choices = sendChoices.map(({ value, label, words }) => ({ value, label: say(locale, label), words }));
  let choice = await pickOne(reader, { title, choices }, signal);
  while (choice === "show") {
    chat.write(...lines.slice(mostLines));
    choice = await pickOne(reader, { title, choices: choices.filter(({ value }) => value !== "show") }, signal);
  }
  if (choice !== "yes") chat.write(say(locale, { zh: `没有执行 /${name}。`, en: `/${name} was not run.` }));
  return choice === "yes";
}

const sendChoices: readonly { value: "yes" | "no" | "show"; label: Text; words: string[] }[] = [
  { value: "yes", label: { zh: "是", en: "Yes" }, words: ["y", "yes", "是"] },
  { value: "no", label: { zh: "否", en: "No" }, words: ["n", "no", "否"] },
  { value: "show", label: { zh: "先看其余部分", en: "Show the rest first" }, words: ["s", "show", "看"] },
];

/** Takes text, and the text of an embedded resource. Images and links are no part of a question. */
function toContentText(content: unknown): string {
  if (Array.isArray(content)) return content.map(toContentText).filter(Boolean).join("\n");
  if (!isRecord(content)) return "";
  if (content.type === "resource" && isRecord(content.resource)) return toText(content.resource.text);
  return content.type === "text" ? toText(content.text) : "";
}
