import { isRecord } from "../../src/kit/json.ts";
import type { JournalEntry } from "./provider.ts";

/** What a request takes, and how much of it the vendor has in its cache. */
export interface ReckonedPrompt {
  input: number;
  cached: number;
}

/** A vendor's prompt cache: it reckons each request against the earlier ones of the same model. */
export interface PromptCache {
  reckon(entry: JournalEntry): ReckonedPrompt;
}

/** Four characters are a token here. */
const perToken = 4;

/**
 * OpenAI caches prefixes from 1,024 tokens on, in steps of 128, without being asked (platform.openai.com/docs/guides/prompt-caching);
 * tools stand before the messages.
 */
const openAi = { least: 1024, step: 128 };

/** Anthropic caches up to the marks of a request, and looks back 20 blocks from each (docs.anthropic.com, prompt caching). */
const anthropic = { least: 1024, lookBack: 20 };

export function createPromptCache(): PromptCache {
  const seen = new Map<string, string[]>();
  const written = new Map<string, Set<string>>();
  return {
    reckon(entry) {
      if (entry.wire === "anthropic-messages") return reckonMarks(entry, written);
      const key = entry.model;
      const text = toPromptText(entry);
      const earlier = seen.get(key) ?? [];
      const common = Math.max(0, ...earlier.map((one) => countCommon(one, text)));
      seen.set(key, [...earlier, text].slice(-20));
      const tokens = Math.floor(common / perToken);
      const cached = tokens < openAi.least ? 0 : tokens - (tokens % openAi.step);
      return { input: Math.ceil(text.length / perToken), cached };
    },
  };
}

/** The prompt in the order in which the vendor reads it. */
function toPromptText({ body }: JournalEntry): string {
  const { tools = [], instructions = "", input, messages } = body;
  const list: unknown = input ?? messages;
  const items = Array.isArray(list) ? list.map((item) => JSON.stringify(item)) : [];
  return [JSON.stringify(tools), JSON.stringify(instructions), ...items].join("\n");
}

function countCommon(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

/** Reads a prefix that was written up to a mark of an earlier request, and writes those up to the marks of this one. */
function reckonMarks({ model, body }: JournalEntry, written: Map<string, Set<string>>): ReckonedPrompt {
  const known = written.get(model) ?? new Set<string>();
  written.set(model, known);
  const blocks = listBlocks(body);
  const prefixes: string[] = [];
  let prefix = "";
  for (const { text } of blocks) {
    prefix += `${text}\n`;
    prefixes.push(prefix);
  }
  let cached = 0;
  const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
  for (const mark of marks)
    for (let at = mark; at >= Math.max(0, mark - anthropic.lookBack); at--) {
      const tokens = Math.floor((prefixes[at]?.length ?? 0) / perToken);
      if (tokens >= anthropic.least && known.has(prefixes[at] ?? "")) cached = Math.max(cached, tokens);
    }
  for (const mark of marks) known.add(prefixes[mark] ?? "");
  return { input: Math.ceil(prefix.length / perToken), cached };
}

interface Block {
  text: string;
  isMarked: boolean;
}

function listBlocks({ tools, system, messages }: Record<string, unknown>): Block[] {
  const turns = (Array.isArray(messages) ? messages : []).filter(isRecord);
  const said = turns.flatMap(({ role, content }) => toBlocks(content).map((block) => [role, block] as const));
  return [
    ...toBlocks(tools).map((block) => toBlock("tool", block)),
    ...toBlocks(system).map((block) => toBlock("system", block)),
    ...said.map(([role, block]) => toBlock(String(role), block)),
  ];
}

function toBlocks(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function toBlock(role: string, block: unknown): Block {
  if (!isRecord(block)) return { text: `${role} ${JSON.stringify(block)}`, isMarked: false };
  const { cache_control, ...rest } = block;
  return { text: `${role} ${JSON.stringify(rest)}`, isMarked: cache_control !== undefined };
}
