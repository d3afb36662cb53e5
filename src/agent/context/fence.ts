import type { ToolResult } from "../../core/tools/tool.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";

/**
 * Puts text from outside between marks that it cannot forge: it cannot guess the marker, and where a model has told it to
 * a tool that gives it back, it is taken out.
 */
export function fence(text: string, marker: string): string {
  return `${toOpeningLine(marker)}${text.replaceAll(marker, "…")}${toClosingLine(marker)}`;
}

/** Puts the result of a call into a prompt. It is fenced, unless the user wrote it to be followed as an instruction. */
export function fenceResult(text: string, { kind }: ToolResult, marker: string): string {
  return kind === "instruction" ? text.replaceAll(marker, "…") : fence(text, marker);
}

/**
 * Puts the result of a call into a prompt without telling what to do about it. That it failed stands before its fence, because what is
 * in it may read like a success.
 */
export function reportResult(text: string, result: ToolResult, { marker, language }: FenceInput): string {
  const fenced = fenceResult(text, result, marker);
  return result.ok ? fenced : `${say(language, callFailed)}\n${fenced}`;
}

interface FenceInput {
  marker: string;
  language: Locale;
}

const callFailed: Text = { zh: "这个调用失败了：", en: "This call failed:" };

/**
 * Holds one part of a text that was split at its fences: either fenced text, or other text together with the marks. The joined
 * parts are the original text.
 */
export interface FencePart {
  text: string;
  isFenced: boolean;
}

export function splitFences(text: string, marker: string): FencePart[] {
  const parts: FencePart[] = [];
  let end = 0;
  for (;;) {
    const start = text.indexOf(toOpeningLine(marker), end);
    const from = start + toOpeningLine(marker).length;
    const to = start < 0 ? -1 : text.indexOf(toClosingLine(marker), from);
    if (to < 0) return [...parts, { text: text.slice(end), isFenced: false }];
    parts.push({ text: text.slice(end, from), isFenced: false }, { text: text.slice(from, to), isFenced: true });
    end = to;
  }
}

/** Returns what a person reads of a text for models: what is fenced in it, or all of it where nothing is. */
export function readFenced(text: string, marker: string): string {
  const fenced = splitFences(text, marker).filter(({ isFenced }) => isFenced);
  return fenced.length === 0 ? text : fenced.map((part) => part.text).join("\n");
}

function toOpeningLine(marker: string): string {
  return `<<<result ${marker}\n`;
}

function toClosingLine(marker: string): string {
  return `\nresult ${marker}>>>`;
}
