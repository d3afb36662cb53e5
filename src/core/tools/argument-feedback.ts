import { isDeeperThan } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { takeStart } from "../../kit/text/truncate.ts";
import { type ArgumentProblem, createFailure, type ToolResult } from "./tool.ts";

const maxLines = 10;
const mostNames = 20;

/** Renders the error text that lets a model correct its call, in the words of docs/development/tool-calling.md. */
export function renderArgumentProblems(locale: Locale, problems: readonly ArgumentProblem[]): string {
  const lines = problems.slice(0, maxLines).map(({ path, text }) => {
    const place = path === "" ? say(locale, { zh: "参数", en: "arguments" }) : path;
    return `- ${place}: ${say(locale, text)}`;
  });
  const more = problems.length - lines.length;
  if (more > 0) lines.push(say(locale, { zh: `…还有 ${more} 处`, en: `... and ${more} more` }));
  return say(locale, {
    zh: `工具调用参数格式错误：\n${lines.join("\n")}\n\n请修正参数后重试。`,
    en: `The tool call's arguments are not valid:\n${lines.join("\n")}\n\nCorrect the arguments and try again.`,
  });
}

/** Reports argument problems that a schema cannot express, in the same form. The tool itself returns it. */
export function toInvalidArgumentsResult(locale: Locale, problems: readonly ArgumentProblem[]): ToolResult {
  return createFailure("invalid_arguments", renderArgumentProblems(locale, problems));
}

export function toValueProblem(path: string, value: unknown, zh: string, en: string): ArgumentProblem {
  const shown = showValue(value);
  return { path, text: { zh: `${zh}（当前值: ${shown}）`, en: `${en} (current value: ${shown})` } };
}

/** Reports a field that the schema does not have. `allowed` lists those that it has. */
export function toUnknownFieldLine(path: string, allowed: readonly string[]): ArgumentProblem {
  if (allowed.length === 0) return { path, text: { zh: "不是允许的字段", en: "this field is not allowed" } };
  const names = allowed.slice(0, mostNames).map(showName);
  const list = [...names, ...(names.length < allowed.length ? ["…"] : [])].join(", ");
  return {
    path,
    text: { zh: `不是允许的字段（允许：${list}）`, en: `this field is not allowed (allowed: ${list})` },
  };
}

/** Returns the name of a field in a form that can be shown. */
export function showName(name: unknown): string {
  return sanitizeLine(takeStart(String(name), 80));
}

/** Limits how deep a value is nested that is shown. To write one of some thousand levels as JSON fails. */
const mostShownLevels = 100;

/** Returns a value as JSON on one printable line of at most 80 characters. */
export function showValue(value: unknown): string {
  if (isDeeperThan(value, mostShownLevels)) return Array.isArray(value) ? "[…]" : "{…}";
  const text = sanitizeLine(takeStart(JSON.stringify(value) ?? String(value), 200));
  return text.length <= 80 ? text : `${takeStart(text, 79)}…`;
}
