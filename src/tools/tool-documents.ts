import type { Tool } from "../core/tools/tool.ts";
import { findFittingCalls, parseToolPatterns } from "../core/tools/tool-pattern.ts";
import { isRecord, type JsonObject, type JsonValue } from "../kit/json.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { sanitize, sanitizeLine } from "../kit/text/sanitize.ts";

export interface DocumentOptions {
  locale: Locale;
  /** Lists the configured patterns of calls that need a person's consent. */
  ask?: readonly string[] | undefined;
  /** Maps tool names to example calls. A tool without any gets one that fits its schema. */
  examples?: Readonly<Record<string, readonly JsonObject[]>>;
}

/**
 * Writes a Markdown section for each tool with its purpose, its arguments, an example call, its limits, and who is asked for
 * consent.
 */
export function documentTools(tools: readonly Tool[], options: DocumentOptions): string {
  return tools.map((tool) => documentTool(tool, options)).join("\n");
}

function documentTool(tool: Tool, options: DocumentOptions): string {
  const { locale, examples = {} } = options;
  const calls = (Object.hasOwn(examples, tool.name) && examples[tool.name]) || [toExample(tool.inputSchema)];
  const parts = [
    `## \`${tool.name}\``,
    sanitize(tool.description).trim(),
    argumentTable(tool, locale),
    ...calls.map((call) => `${say(locale, words.example)}\n\n\`\`\`json\n${JSON.stringify(call)}\n\`\`\``),
    [sourceLine(tool, locale), limitLine(tool, locale), permissionLine(tool, options)]
      .map((line) => `- ${line}`)
      .join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function argumentTable({ inputSchema }: Tool, locale: Locale): string {
  const properties = Object.entries(recordIn(inputSchema.properties));
  if (properties.length === 0) return say(locale, words.noArguments);
  const required: readonly unknown[] = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const rows = properties.map(([name, schema]) => {
    const { description = "", default: usual } = recordIn(schema);
    const isRequired = say(locale, required.includes(name) ? words.yes : words.no);
    const shown = usual === undefined ? "" : `\`${JSON.stringify(usual)}\``;
    return row([`\`${name}\``, typeOf(schema), isRequired, shown, typeof description === "string" ? description : ""]);
  });
  const heads = [words.argument, words.type, words.required, words.usual, words.meaning].map((head) =>
    say(locale, head),
  );
  return [row(heads), row(heads.map(() => "---")), ...rows].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => sanitizeLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Describes a type with its limits: `integer, 1-200`, `content, name, both`, `string[], 1-20`. */
function typeOf(schema: unknown): string {
  const {
    type,
    enum: choices,
    items,
    minimum,
    maximum,
    minItems,
    maxItems,
    maxLength,
    anyOf,
    oneOf,
  } = recordIn(schema);
  const alternatives = [anyOf, oneOf].find((each) => Array.isArray(each));
  if (Array.isArray(alternatives)) return alternatives.map(typeOf).join(" / ");
  if (Array.isArray(choices)) return choices.map((choice) => `\`${String(choice)}\``).join(", ");
  const name =
    type === "array"
      ? `${/[, ]/.test(typeOf(items)) ? `(${typeOf(items)})` : typeOf(items)}[]`
      : Array.isArray(type)
        ? type.join(" / ")
        : String(type ?? "any");
  const range = rangeOf(minimum ?? minItems, maximum ?? maxItems ?? maxLength);
  return range === "" ? name : `${name}, ${range}`;
}

function rangeOf(least: unknown, most: unknown): string {
  if (least !== undefined && most !== undefined) return `${String(least)}-${String(most)}`;
  if (least !== undefined) return `≥ ${String(least)}`;
  return most === undefined ? "" : `≤ ${String(most)}`;
}

/** Returns the required arguments with values that their types allow. */
export function toExample({ properties, required }: Tool["inputSchema"]): JsonObject {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const given = Object.entries(recordIn(properties)).filter(([name]) => names.includes(name));
  return Object.fromEntries(given.map(([name, schema]) => [name, exampleValue(schema)]));
}

function exampleValue(schema: unknown): JsonValue {
  const { examples, default: usual, enum: choices, type, items, minimum, properties, required } = recordIn(schema);
  const [first] = [examples, usual === undefined ? undefined : [usual], choices].find(isFilled) ?? [];
  if (first !== undefined) return toJson(first);
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === "integer" || kind === "number") return typeof minimum === "number" ? minimum : 1;
  if (kind === "boolean") return true;
  if (kind === "array") return [exampleValue(items)];
  if (kind === "object") return toExample({ properties, required });
  return "…";
}

function isFilled(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

function sourceLine({ source }: Tool, locale: Locale): string {
  const name = sanitizeLine(source);
  const own: Record<string, Text> = {
    builtin: { zh: "来源：内置", en: "Source: built in" },
    user: { zh: "来源：您的工具目录", en: "Source: your tools folder" },
    skills: { zh: "来源：您的技能", en: "Source: your skills" },
  };
  const known = Object.hasOwn(own, source) ? own[source] : undefined;
  return say(locale, known ?? { zh: `来源：MCP 服务器 ${name}`, en: `Source: the MCP server ${name}` });
}

function limitLine({ callLimits }: Tool, locale: Locale): string {
  const seconds = callLimits?.timeoutMs === undefined ? undefined : callLimits.timeoutMs / 1000;
  if (seconds === undefined) return say(locale, { zh: "时限：随整次运行", en: "Limit: the time of the run" });
  return say(locale, { zh: `时限：每次调用 ${seconds} 秒`, en: `Limit: ${seconds} s per call` });
}

function permissionLine(tool: Tool, { locale, ask = [] }: DocumentOptions): string {
  const { readOnly, destructive, openWorld } = tool.annotations;
  const kinds = [
    tool.annotationsFor ? words.depends : readOnly === true && destructive !== true ? words.reads : words.changes,
    ...(openWorld ? [words.goesOut] : []),
  ].map((kind) => say(locale, kind));
  const rules = parseToolPatterns(ask).filter((pattern) => findFittingCalls(pattern, tool) !== "none");
  const rule = rules.map(({ written }) => written).join(", ");
  const asked =
    tool.alwaysAsks || tool.callLimits?.asks
      ? { zh: "每次都需您同意", en: "you are asked about each call" }
      : rules.length > 0
        ? { zh: `按 tools.ask（${rule}）需您同意`, en: `you are asked by tools.ask (${rule})` }
        : { zh: "无需询问", en: "runs without a question" };
  const colon = say(locale, { zh: "权限：", en: "Permission: " });
  return `${colon}${[...kinds, say(locale, asked)].join(say(locale, { zh: "；", en: "; " }))}`;
}

function recordIn(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

const words = {
  argument: { zh: "参数", en: "Argument" },
  type: { zh: "类型", en: "Type" },
  required: { zh: "必需", en: "Required" },
  usual: { zh: "默认值", en: "Default" },
  meaning: { zh: "说明", en: "Description" },
  yes: { zh: "是", en: "yes" },
  no: { zh: "否", en: "no" },
  example: { zh: "示例：", en: "Example:" },
  noArguments: { zh: "没有参数。", en: "No arguments." },
  reads: { zh: "只读", en: "reads only" },
  changes: { zh: "可能改变外部状态，或没有说明", en: "may change something, or does not say" },
  depends: { zh: "只读还是会改变外部状态，取决于参数", en: "reads or changes, by its arguments" },
  goesOut: { zh: "访问网络", en: "goes to the network" },
} satisfies Record<string, Text>;
