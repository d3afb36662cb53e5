import type { ToolDefinition } from "../../core/model/model.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { vendors } from "../vendors.ts";
import { quoteLine, toOneLine } from "./result-text.ts";
import { rules } from "./rules/rules.ts";

/** Returns true when the question asks what Duet can do here. */
export function isHelpRequest(question: string): boolean {
  return help.test(question.trim().replace(/[\s?？!！。.]+$/, ""));
}

const help =
  /^(?:\/?help(?: me)?|帮助|使用帮助|(?:你|您)?(?:都)?(?:能|会|可以)(?:帮我)?(?:做|干)?(?:些|点)?(?:什么|啥)(?:事情?)?|你有(?:什么|哪些)(?:功能|工具|能力)|(?:有|列出|显示)(?:什么|哪些|所有|可用的?|全部)*(?:工具|功能)(?:列表)?|你是谁|what can (?:you|i) do(?: here)?|who are you|what are you|(?:please )?(?:list|show|what)(?: me)?(?: are)?(?: all)?(?: the| your)?(?: available)? tools(?: (?:do you have|are there|are available))?)$/i;

/** Says what this is, what it recognises with the tools on offer, and how to get a real model. */
export function introduce(tools: readonly ToolDefinition[], locale: Locale): string {
  return [
    say(locale, what),
    tools.length === 0 ? say(locale, noTools) : listRecognized(tools, locale),
    say(locale, howTo),
  ].join("\n\n");
}

/** Introduces the program as `introduce` does, and lists every tool available. */
export function introduceTools(tools: readonly ToolDefinition[], locale: Locale): string {
  if (tools.length === 0) return introduce(tools, locale);
  const lines = tools
    .slice(0, mostTools)
    .map(({ name, description }) => `- ${quoteLine(name)} ${toOneLine(description, 80)}`);
  if (tools.length > mostTools)
    lines.push(say(locale, { zh: `- 等 ${tools.length} 个工具`, en: `- ${tools.length} tools in total` }));
  const lead = say(locale, { zh: "可用的工具：", en: "Available tools:" });
  return [say(locale, what), listRecognized(tools, locale), `${lead}\n\n${lines.join("\n")}`, say(locale, howTo)].join(
    "\n\n",
  );
}

function listRecognized(tools: readonly ToolDefinition[], locale: Locale): string {
  const served = rules.filter((rule) => tools.some(({ name }) => isOneOf(name, rule.tools)));
  if (served.length === 0) return say(locale, nothingServed);
  const examples = new Set(served.map(({ example }) => say(locale, example)));
  const lead = say(locale, { zh: "我能识别这样的请求：", en: "Requests that I recognise:" });
  return `${lead}\n\n${[...examples].map((example) => `- ${quoteLine(example)}`).join("\n")}`;
}

const mostTools = 40;

const what = {
  zh: "我是离线规则路由，不是语言模型（没有使用语言模型）：我只能识别一些固定的请求，按规则调用工具，再转述它们的结果。",
  en: "I am an offline rule router, not a language model (no language model was used): I recognise a few plain requests, call tools by rule and report their results.",
};

const noTools = {
  zh: "现在没有可用的工具，所以我什么也做不了。Agent 模式会给我工具：`/mode agent` 或 `--mode agent`；也请检查 `--tools`、`tools.allow` 和 `tools.deny` 是否排除了全部工具。",
  en: "I have no tools right now, so I cannot do anything. Agent mode gives me tools: `/mode agent` or `--mode agent`; check also that `--tools`, `tools.allow` and `tools.deny` do not exclude all of them.",
};

const nothingServed = {
  zh: "现有的工具都没有对应的规则。",
  en: "None of the available tools has a rule.",
};

const keys = [...new Set(Object.values(vendors).flatMap(({ keyEnv }) => keyEnv ?? []))];

const howTo = {
  zh: `要得到完整的回答，请配置一个模型：设置 ${joinWords(keys, "、", " 或 ")} 之一，或在本机运行 Ollama；见 README。`,
  en: `For full answers configure a model: set one of ${joinWords(keys, ", ", " or ")}, or run Ollama on this machine; see the README.`,
};

function joinWords(words: readonly string[], between: string, beforeLast: string): string {
  return [words.slice(0, -1).join(between), words.at(-1)].join(beforeLast);
}

export interface MatchingTool {
  tool: string;
  arguments: JsonObject;
}

/** Returns the tool's own name. A server's prefix ends with two underscores. */
export function toOwnName(tool: string): string {
  return tool.slice(tool.lastIndexOf("__") + (tool.includes("__") ? 2 : 0));
}

/** Returns true when the tool's own name, on any server, is in `names`. */
export function isOneOf(tool: string, names: readonly string[]): boolean {
  return names.includes(tool) || names.includes(toOwnName(tool));
}

/**
 * Returns the first tool on offer with one of these names that accepts the arguments. An exact name comes before a server's, and
 * arguments that the tool does not know are dropped.
 */
export function findTool(
  tools: readonly ToolDefinition[],
  names: readonly string[],
  args: JsonObject,
): MatchingTool | undefined {
  const candidates = names.flatMap((name) => [
    ...tools.filter((tool) => tool.name === name),
    ...tools.filter((tool) => tool.name !== name && toOwnName(tool.name) === name),
  ]);
  for (const { name, inputSchema } of candidates) {
    const known = selectKnownArguments(args, inputSchema);
    if (known !== undefined) return { tool: name, arguments: known };
  }
  return undefined;
}

/** Returns undefined when none of our arguments fits, or when the tool requires one that we do not have. */
function selectKnownArguments(args: JsonObject, { properties, required }: JsonSchema): JsonObject | undefined {
  const names = isRecord(properties) ? Object.keys(properties) : Object.keys(args);
  const known = Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)));
  if (Object.keys(args).length > 0 && Object.keys(known).length === 0) return undefined;
  if (Array.isArray(required) && required.some((name) => !Object.hasOwn(known, String(name)))) return undefined;
  return known;
}
