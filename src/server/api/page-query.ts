import { showValue } from "../../core/tools/argument-feedback.ts";
import type { Text } from "../../kit/locale.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";

export interface Page {
  limit: number;
  offset: number;
}

export const pageLimits = {
  limit: { from: 1, to: 100, otherwise: 50 },
  offset: { from: 0, to: 1_000_000_000, otherwise: 0 },
} as const;

/** Throws `HttpRefusalError` with one line for a value that is not allowed. */
export function readPage({ url }: Request): Page {
  const { searchParams } = new URL(url);
  const read = (name: keyof Page): number => readNumber(name, searchParams.getAll(name));
  return { limit: read("limit"), offset: read("offset") };
}

/** Reads whether the reader of an event stream wants drafts. Throws `HttpRefusalError` with one line for a value that is not allowed. */
export function readDrafts({ url }: Request): boolean {
  const given = new URL(url).searchParams.getAll("drafts");
  const [text = "false"] = given;
  if (given.length <= 1 && (text === "true" || text === "false")) return text === "true";
  const shown = given.slice(0, 2).map(showValue).join(", ");
  throw new HttpRefusalError({
    status: 400,
    text: {
      zh: `drafts: ${shown} 不可用（允许：true、false 中的一个）`,
      en: `drafts: ${shown} is not allowed (allowed: one of true, false)`,
    },
  });
}

function readNumber(name: keyof Page, given: readonly string[]): number {
  const { from, to, otherwise } = pageLimits[name];
  const [text] = given;
  if (text === undefined) return otherwise;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (given.length > 1 || !(number >= from && number <= to))
    throw new HttpRefusalError({ status: 400, text: describeInvalidNumber(name, given) });
  return number;
}

function describeInvalidNumber(name: keyof Page, given: readonly string[]): Text {
  const { from, to } = pageLimits[name];
  const shown = given.slice(0, 2).map(showValue).join(", ");
  return {
    zh: `${name}: ${shown} 不可用（允许：${from} 到 ${to} 的一个整数）`,
    en: `${name}: ${shown} is not allowed (allowed: one whole number from ${from} to ${to})`,
  };
}
