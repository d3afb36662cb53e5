import { LRUCache } from "lru-cache";
import { estimatePages, toPlainText } from "../core/model/message-content.ts";
import type { ContentPart, ImagePart, Message } from "../core/model/messages.ts";
import type { ToolDefinition } from "../core/model/model.ts";
import type { ImageTokens, ModelSettings, Quirks } from "../core/model/model-settings.ts";
import { weighPlainText } from "./weigh-text.ts";

/**
 * Estimates the tokens of a text without a vocabulary: words by their length, digits in threes, signs, and Chinese by the
 * character. It is meant for o200k, to which most vendors' counts are close, and is within 15 % on plain English and Chinese.
 */
export function estimateTokens(text: string): number {
  if (text.length <= longest) return Math.ceil(weighAll(text));
  let tokens = 0;
  for (let sample = 0; sample < samples; sample++) {
    const start = Math.floor((sample * text.length) / samples);
    tokens += weighAll(text.slice(start, start + longest / samples));
  }
  return Math.ceil((tokens * text.length) / longest);
}

/** A longer text is estimated from samples across it, with this many characters in all, so that an estimate stays fast. */
const longest = 200_000;
const samples = 20;

function weighAll(text: string): number {
  return weighPlainText(text) ?? weighByExpressions(text);
}

/** Returns the weight of any text, in about ten times the time. */
export function weighByExpressions(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) tokens += weigh(piece);
  return tokens;
}

const pieces =
  /[\p{Script=Han}]+|[\p{Script=Hiragana}\p{Script=Katakana}ー]+|\p{Script=Hangul}+|['’](?:s|t|m|d|re|ve|ll)\b|[A-Za-z]+|\p{L}[\p{L}\p{M}]*|\p{N}+|\p{Extended_Pictographic}|\s+|[^\s\p{L}\p{N}]+/gu;

/** Estimates the tokens of a run of similar characters. */
function weigh(piece: string): number {
  const { length } = piece;
  if (/^[A-Za-z]/.test(piece)) return countWord(piece);
  if (/^\p{Script=Han}/u.test(piece)) return 0.72 * length;
  if (/^[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(piece)) return 0.6 * length;
  if (/^\p{Script=Hangul}/u.test(piece)) return 0.55 * length;
  if (/^\p{N}/u.test(piece)) return Math.ceil(length / 3);
  if (/^\s/.test(piece)) return countSpace(piece);
  if (/^\p{L}/u.test(piece)) return Math.max(1, length / 4);
  if (/^\p{Extended_Pictographic}/u.test(piece)) return 2;
  return countSigns(piece);
}

/** A common word is one token with the space before it. Long words, and joined ones such as `getUserName`, are more. */
function countWord(piece: string): number {
  const parts = piece.split(/(?<=[a-z])(?=[A-Z])/);
  return parts.reduce((sum, { length }) => sum + (length <= 9 ? 1 : 1 + (length - 9) / 5), 0);
}

/** A single space belongs to the next word, while line breaks and indentation are tokens. */
function countSpace(piece: string): number {
  return piece === " " ? 0 : 1;
}

/** Three signs of programs and JSON often make one token. */
function countSigns(piece: string): number {
  return /^[\x21-\x7e]+$/.test(piece) ? Math.ceil(piece.length / 3) : 0.9 * piece.length;
}

/** Each message costs this many tokens besides its text. */
export const perMessage = 4;

/** Estimates the tokens of messages, including reasoning that may be sent back, and images by the vendor's rule. */
export function estimateMessageTokens(
  messages: readonly Message[],
  { quirks }: FileRules = { quirks: {} },
  estimateText = estimateTokens,
): number {
  return messages.reduce((sum, message) => {
    const parts = typeof message.content === "string" ? [] : message.content;
    const files = parts.reduce((size, part) => size + estimateFileTokens(part, quirks), 0);
    return sum + perMessage + files + estimateText(toMessageText(message));
  }, 0);
}

/** Limits the texts whose tokens are known, in number and in UTF-16 units. A shorter text is weighed again. */
const mostKnown = 5_000;
const mostKnownText = 8_000_000;
const shortestKnown = 64;

/**
 * Creates an estimate that remembers texts: those of a conversation are measured again with each of its turns. The texts that were
 * not asked for the longest are forgotten first.
 */
export function createTokenCounter(): (text: string) => number {
  const known = new LRUCache<string, number>({
    max: mostKnown,
    maxSize: mostKnownText,
    sizeCalculation: (_, text) => text.length,
  });
  return (text) => {
    if (text.length < shortestKnown) return estimateTokens(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const tokens = estimateTokens(text);
    known.set(text, tokens);
    return tokens;
  };
}

export type FileRules = Pick<ModelSettings, "quirks">;

/** Estimates what a part takes beside its text. A document that the vendor reads itself has pictures of its pages too. */
function estimateFileTokens(part: ContentPart, { images, documents = [] }: Quirks): number {
  if (part.type === "text") return 0;
  const rule = images?.tokens ?? usualImageTokens;
  if (part.type === "image") return countImageTokens(part, rule);
  return documents.includes(part.file.mediaType) ? estimatePages(part.file.size) * countImageTokens({}, rule) : 0;
}

const usualImageTokens: ImageTokens = { pixelsPerToken: 750, most: 1_600 };

/** Counts the tokens of an image by a vendor's rule. One whose size is not known counts as one of 1,024 pixels a side. */
export function countImageTokens(
  { width = 1_024, height = 1_024 }: Pick<ImagePart, "width" | "height">,
  rule: ImageTokens,
): number {
  if ("pixelsPerToken" in rule) return Math.min(rule.most, Math.ceil((width * height) / rule.pixelsPerToken));
  const { tileSide, perTile, base, longestSide, shorterSide } = rule;
  const scale = Math.min(1, longestSide / Math.max(width, height), shorterSide / Math.min(width, height));
  const tiles = Math.ceil((width * scale) / tileSide) * Math.ceil((height * scale) / tileSide);
  return base + tiles * perTile;
}

export function estimateToolTokens(tools: readonly ToolDefinition[]): number {
  return tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
}

/** Returns all text of a message that counts as tokens. */
export function toMessageText(message: Message): string {
  if (message.role !== "assistant") return toPlainText(message.content, "en");
  const calls = message.toolCalls.map((call) => `${call.name} ${call.argumentsText}`);
  const reasoning = message.native && message.reasoning ? [message.reasoning] : [];
  return [message.content, ...reasoning, ...calls].join("\n");
}
