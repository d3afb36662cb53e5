import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import type { RemoteTool } from "../lists/listing.ts";
import { findHidden, measureLongestBlank } from "./hidden-characters.ts";

/** Names a tool of another server by its own name there and by the name that models see. */
export interface OtherTool {
  server: string;
  tool: string;
  name: string;
}

/** Limits the length of a server's name and a tool's together. A longer word is not a tool name. */
const longestName = 260;

/** Nobody reads more lines than this. */
const mostWarnings = 20;

/**
 * Returns warnings about a list of tools: invisible characters, blanks that push words out of sight, the name of another
 * server's tool, and instructions to a model. A warning means that a person should look; the absence of warnings proves nothing.
 * Takes time in proportion to the length of the list.
 */
export function findWarnings(listed: readonly RemoteTool[], otherTools: readonly OtherTool[]): Text[] {
  const foreign = collectForeignNames(listed, otherTools);
  const found = listed.flatMap((tool) => {
    const things = listToolTexts(tool).flatMap(([part, text]) => listFindings(part, text, foreign));
    return things.length === 0 ? [] : [describeFindings(tool.name, things)];
  });
  if (found.length <= mostWarnings) return found;
  const more = found.length - mostWarnings + 1;
  const rest = { zh: `另有 ${more} 个工具有类似情况`, en: `${more} more tools have similar findings` };
  return [...found.slice(0, mostWarnings - 1), rest];
}

/**
 * Caches the warnings, and computes them again when the list or the tools of other servers have changed, because servers may
 * connect later.
 */
export function createWarnings(): (listed: readonly RemoteTool[], otherTools: readonly OtherTool[]) => Text[] {
  let last: { listed: readonly RemoteTool[]; others: string; found: Text[] } | undefined;
  return (listed, otherTools) => {
    const others = JSON.stringify(otherTools.map(({ name }) => name));
    if (last?.listed !== listed || last.others !== others) {
      last = { listed, others, found: findWarnings(listed, otherTools) };
    }
    return last.found;
  };
}

function describeFindings(name: string, things: readonly Text[]): Text {
  const tool = toShortLine(name, 80);
  return {
    zh: `工具 ${tool}：${things.map(({ zh }) => zh).join("；")}`,
    en: `The tool ${tool}: ${things.map(({ en }) => en).join("; ")}`,
  };
}

function listFindings(part: ToolPart, text: string, foreign: ForeignNames): Text[] {
  const { zh, en } = partNames[part];
  const found: Text[] = [];
  const { count, kinds, isAll } = findHidden(text);
  if (count > 0) {
    const list = kinds.slice(0, 8).join(", ") + (kinds.length > 8 ? ", …" : "");
    found.push({
      zh: `${zh}含有${isAll ? "" : "超过"} ${count} 个隐藏字符（${list}），已改为可见形式`,
      en: `${en} contains ${isAll ? "" : "more than "}${count} hidden ${count === 1 ? "character" : "characters"} (${list}), now shown as \\u{…}`,
    });
  }
  const blank = measureLongestBlank(text);
  if (blank > 0)
    found.push({
      zh: `${zh}中有连续 ${blank} 个空白字符，其后的文字容易被忽略`,
      en: `${en} contains ${blank} blank characters in a row, after which text is easily missed`,
    });
  const names = findNames(text, foreign);
  if (names.length > 0) {
    const list = names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "");
    found.push({
      zh: `${zh}提到了其他服务器的工具（${list}）`,
      en: `${en} mentions ${names.length === 1 ? "a tool" : "tools"} of another server (${list})`,
    });
  }
  const order = findOrder(text);
  if (order !== undefined)
    found.push({
      zh: `${zh}像是在对模型下命令（“${order}”）`,
      en: `${en} reads like instructions to a model ("${order}")`,
    });
  return found;
}

const partNames: Record<ToolPart, Text> = {
  name: { zh: "名称", en: "its name" },
  title: { zh: "标题", en: "its title" },
  description: { zh: "描述", en: "its description" },
  inputSchema: { zh: "参数说明", en: "its input schema" },
  outputSchema: { zh: "结果说明", en: "its output schema" },
};

/** Holds every name, in lower case, by which a text may refer to a tool of another server, with the name to show. */
interface ForeignNames {
  names: ReadonlyMap<string, string>;
  hasCamelCase: boolean;
}

function collectForeignNames(listed: readonly RemoteTool[], otherTools: readonly OtherTool[]): ForeignNames {
  const own = new Set(listed.map(({ name }) => name.toLowerCase()));
  const names = new Map<string, string>();
  for (const { server, tool, name } of otherTools) {
    const ways = [name, `${server}__${tool}`, `${server}_${tool}`, `${server}.${tool}`, `${server}:${tool}`];
    if (isDistinctive(tool)) ways.push(tool);
    for (const way of ways) if (!own.has(way.toLowerCase())) names.set(way.toLowerCase(), name);
  }
  return { names, hasCamelCase: otherTools.some(({ tool }) => /[a-z][A-Z]/.test(tool)) };
}

/** Returns true for a name that is no ordinary word, such as `send_mail`, `sendMail` and `mail.send`, but not `search`. */
function isDistinctive(name: string): boolean {
  return name.length >= 5 && /[a-z0-9][_.][a-z0-9]|[a-z][A-Z]/.test(name);
}

function findNames(text: string, { names, hasCamelCase }: ForeignNames): string[] {
  if (names.size === 0) return [];
  const found = new Set<string>();
  const words = [...(text.match(joined) ?? []), ...(hasCamelCase ? (text.match(camelCase) ?? []) : [])];
  for (const word of words) {
    if (word.length > longestName) continue;
    const whole = names.get(word.toLowerCase());
    if (whole !== undefined) found.add(whole);
    if (!word.includes(".") && !word.includes(":") && !endsInMark.test(word)) continue;
    for (const part of [word, ...word.split(/[:.]/)]) {
      const name = names.get(part.replace(tail, "").toLowerCase());
      if (name !== undefined) found.add(name);
    }
  }
  return [...found];
}

// Each begins at the start of a word only, so that a long one is not read again and again; no group repeats, and nothing repeats
// without end: V8 remembers each repetition of a pattern, and of millions it runs out of room.
const joined = new RegExp(
  `(?<![A-Za-z0-9-])[A-Za-z0-9-]{1,${longestName}}[_.:]{1,${longestName}}[A-Za-z0-9][A-Za-z0-9_.:-]{0,${longestName}}`,
  "g",
);
const camelCase = new RegExp(
  `(?<![A-Za-z0-9])[A-Za-z0-9]{0,${longestName}}[a-z][A-Z][A-Za-z0-9]{0,${longestName}}`,
  "g",
);
const endsInMark = /[_-]$/;
const tail = /(?<![._:-])[._:-]+$/;

function findOrder(text: string): string | undefined {
  const found = orders.map((order) => order.exec(text)?.[0]).find((match) => match !== undefined);
  return found === undefined ? undefined : toShortLine(found, 60);
}

/** Published attacks share these phrases, and harmless tools rarely use them. */
const orders = [
  /<\/?(?:important|system|instructions?|secret|hidden|critical|admin)\b[^<>]{0,60}>/i,
  /\b(?:ignore|disregard|forget) (?:all |any |the |your )?(?:previous|prior|earlier|above) (?:instructions?|rules|prompts?)/i,
  /\b(?:do not|don't|never|without) (?:tell|telling|inform|informing|mention|mentioning|notify|notifying|show|showing)\b[^.\n]{0,40}\buser\b/i,
  /~\/\.(?:ssh|aws|gnupg|kube|cursor)\b|\bid_(?:rsa|ed25519)\b|\/etc\/(?:passwd|shadow)\b/i,
  /(?:不要|不得|请勿|切勿|别)(?:告诉|告知|通知|提醒|让)(?:用户|使用者)|忽略(?:之前|以上|上面|先前|所有)[^。\n]{0,8}(?:指令|指示|规则|提示)/,
];

type ToolPart = "name" | "title" | "description" | "inputSchema" | "outputSchema";

/** Returns every text that the server wrote in a tool, by part. A schema gives its strings and keys, one per line. */
export function listToolTexts(tool: RemoteTool): [ToolPart, string][] {
  const parts: [ToolPart, string][] = [
    ["name", tool.name],
    ["title", tool.annotations.title ?? ""],
    ["description", tool.description],
    ["inputSchema", collectWords(tool.inputSchema)],
    ["outputSchema", collectWords(tool.outputSchema)],
  ];
  return parts.filter(([, text]) => text !== "");
}

function collectWords(schema: unknown): string {
  const words: string[] = [];
  collect(schema, words);
  return words.join("\n");
}

function collect(value: unknown, words: string[]): void {
  if (typeof value === "string") {
    if (value !== "") words.push(value);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, words);
    return;
  }
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    words.push(key);
    collect(value[key], words);
  }
}
