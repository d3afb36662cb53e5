import type { Mode } from "../../core/run/outcome.ts";
import { parseToolPattern } from "../../core/tools/tool-pattern.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";
import { modes } from "../../render/mode-names.ts";

/** Holds a command that a person has written as a Markdown file. */
export interface CommandFile {
  /** Is the name without the slash: `review`, or `git:commit` for a file in a folder. */
  name: string;
  file: string;
  /** Is the whole text of the file, as it is trusted. */
  text: string;
  /** Is true for a file of the working folder, which may be somebody else's. */
  isFromProject: boolean;
  description: string;
  argumentHint: string;
  mode: Mode | undefined;
  model: string | undefined;
  answerModel: string | undefined;
  /** Limits the tools of the question; the rules for calls apply as ever. */
  tools: readonly string[] | undefined;
  body: string;
}

/** Limits a text of the front matter that is shown, in UTF-16 units. */
const longestShown = 200;

/** Returns the command that a file describes, or what is wrong with it. */
export async function readCommandFile(
  found: Pick<CommandFile, "name" | "file" | "text" | "isFromProject">,
): Promise<CommandFile | { problem: Text }> {
  const { readDocument } = await import("../../tools/skills/frontmatter.ts");
  const document = readDocument(found.text);
  if ("problem" in document) return document;
  const { fields, body } = document;
  if (body === "") return { problem: { zh: "没有正文", en: "has no text" } };
  const { description = "", "argument-hint": hint = "", mode, model, "answer-model": answerModel, tools } = fields;
  for (const [key, value] of Object.entries({ description, "argument-hint": hint, model, "answer-model": answerModel }))
    if (value !== undefined && typeof value !== "string") return toProblem(key, value, textAllowed);
  const wanted = modes.find((known) => known === mode);
  if (mode !== undefined && wanted === undefined) return toProblem("mode", mode, modeAllowed);
  const patterns = readTools(tools);
  if (patterns && "problem" in patterns) return patterns;
  return {
    ...found,
    description: toShortLine(String(description), longestShown) || toFirstLine(body),
    argumentHint: toShortLine(String(hint), longestShown),
    mode: wanted,
    model: toOptional(model),
    answerModel: toOptional(answerModel),
    tools: patterns,
    body,
  };
}

const textAllowed: Text = { zh: "文本", en: "a text" };
const modeAllowed: Text = { zh: "chat、agent、plan", en: "chat, agent, plan" };
const toolsAllowed: Text = { zh: "工具名或模式的列表", en: "a list of names or patterns of tools" };

function toOptional(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function toFirstLine(body: string): string {
  const line = body.split("\n").find((each) => each.trim() !== "") ?? "";
  return toShortLine(line.replace(/^#+\s*/, ""), longestShown);
}

/** Reads a list, or a text with commas. */
function readTools(value: unknown): string[] | undefined | { problem: Text } {
  if (value === undefined || value === null) return undefined;
  const list: unknown[] = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [value];
  if (!list.every((one) => typeof one === "string")) return toProblem("tools", value, toolsAllowed);
  const names = list.map((one) => one.trim()).filter((one) => one !== "");
  const wrong = names.find((one) => "problem" in parseToolPattern(one));
  return wrong === undefined ? names : toProblem("tools", wrong, toolsAllowed);
}

function toProblem(key: string, value: unknown, allowed: Text): { problem: Text } {
  const shown = toShortLine(JSON.stringify(value) ?? "", 60);
  return {
    problem: {
      zh: `${key}：${shown} 不可用（允许：${allowed.zh}）`,
      en: `${key}: ${shown} is not allowed (allowed: ${allowed.en})`,
    },
  };
}

/** Returns the models of the question, and undefined where the file names none. Without an answer model, one model plays both roles. */
export function toModelChanges({ model, answerModel }: Pick<CommandFile, "model" | "answerModel">) {
  if (model === undefined && answerModel === undefined) return undefined;
  return {
    ...(model !== undefined && { functionCall: model, answer: null }),
    ...(answerModel !== undefined && { answer: answerModel }),
  };
}

/** Returns the error for a file of a project that nobody has looked at yet, where nobody can be asked about it. */
export function untrustedCommandError(name: string, file: string): DuetError {
  const shown = sanitizeLine(file);
  return new DuetError({
    code: "invalid_request",
    text: { zh: `/${name} 没有执行：${shown} 尚未被信任`, en: `/${name} was not run: ${shown} is not trusted` },
    hint: { zh: "在终端中启动 duet 并使用它一次。", en: "Start duet in a terminal and use it there once." },
  });
}

/**
 * Puts arguments into a command's text: `$ARGUMENTS` is all of them as they were typed, `$1` to `$9` one each, where quotes keep words
 * together. A text without any of these gets them behind it. What is put in is not looked at again.
 */
export function fillArguments(body: string, typed: string): string {
  const words = splitArguments(typed);
  let isUsed = false;
  const filled = body.replace(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/g, (_, digit?: string) => {
    isUsed = true;
    return digit === undefined ? typed : (words[Number(digit) - 1] ?? "");
  });
  return isUsed || typed === "" ? filled : `${filled}\n\n${typed}`;
}

/** Splits typed arguments at blanks outside of quotes, which may also begin behind a name: `name="two words"`. */
export function splitArguments(typed: string): string[] {
  return [...typed.matchAll(/([^\s="']+=)?(?:"([^"]*)"|'([^']*)')|(\S+)/g)].map(
    ([, name = "", double, single, bare]) => bare ?? name + (double ?? single ?? ""),
  );
}
