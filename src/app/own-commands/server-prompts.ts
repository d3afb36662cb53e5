import { makeTextVisible } from "../../client/trust/hidden-characters.ts";
import { DuetError } from "../../kit/errors.ts";
import { isRecord, toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { splitArguments } from "./command-file.ts";

export interface PromptArgument {
  name: string;
  isRequired: boolean;
}

/** Describes a prompt of an MCP server as a command. */
export interface ServerPrompt {
  name: string;
  description: string;
  /** Says which arguments it takes. */
  hint: string;
  known: readonly PromptArgument[];
}

export function readServerPrompt(listed: Record<string, unknown>): ServerPrompt {
  const known = readArguments(listed.arguments);
  return {
    name: toText(listed.name),
    description: toShortLine(toText(listed.description) || toText(listed.title), 200),
    hint: known.map(toHint).join(" "),
    known,
  };
}

/** Returns what a server has written as a question, with what cannot be seen made visible. Throws where that is nothing. */
export function toPromptQuestion(name: string, messages: unknown): string {
  const texts = (Array.isArray(messages) ? messages.filter(isRecord) : []).map(({ role, content }) => {
    const text = toContentText(content);
    return role === "assistant" && text !== "" ? `> ${text.replaceAll("\n", "\n> ")}` : text;
  });
  const question = makeTextVisible(texts.filter((text) => text !== "").join("\n\n"));
  if (question.trim() === "") throw promptError({ zh: `/${name} 没有给出文字`, en: `/${name} gave no text` });
  return question;
}

function promptError(text: Text, hint?: Text): DuetError {
  return new DuetError({ code: "invalid_request", text, hint });
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
export function matchPromptArguments(
  typed: string,
  known: readonly PromptArgument[],
  prompt: string,
): Record<string, string> {
  const args = new Map<string, string>();
  let last: string | undefined;
  for (const word of splitArguments(typed)) {
    const [, key = "", value = ""] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
    const named = known.find(({ name }) => name === key)?.name;
    const next = known.find(({ name }) => !args.has(name))?.name;
    if (named !== undefined) args.set(named, value);
    else if (isName(key) && !isQuoted(word, typed))
      throw promptError(describeUnknown(prompt, key), describeUsage(prompt, known));
    else if (next !== undefined) args.set(next, word);
    else if (last === undefined) throw promptError(describeUnexpected(prompt, word));
    else args.set(last, `${args.get(last)} ${word}`);
    last = named ?? next ?? last;
  }
  const missing = known.find(({ name, isRequired }) => isRequired && !args.has(name));
  if (missing) throw promptError(describeMissing(prompt, missing.name), describeUsage(prompt, known));
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

/** Takes text, and the text of an embedded resource. Images and links are no part of a question. */
function toContentText(content: unknown): string {
  if (Array.isArray(content)) return content.map(toContentText).filter(Boolean).join("\n");
  if (!isRecord(content)) return "";
  if (content.type === "resource" && isRecord(content.resource)) return toText(content.resource.text);
  return content.type === "text" ? toText(content.text) : "";
}
