import { longestSearch } from "../../core/store/conversations/text-search.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import type { Text } from "../../kit/locale.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";

export interface Page {
  limit: number;
  offset: number;
}

export interface NumberRange {
  from: number;
  to: number;
  otherwise: number;
}

export const pageLimits = {
  limit: { from: 1, to: 100, otherwise: 50 },
  offset: { from: 0, to: 1_000_000_000, otherwise: 0 },
} as const satisfies Record<string, NumberRange>;

/** Throws `HttpRefusalError` with one line for a value that is not allowed. */
export function readPage(request: Request): Page {
  return {
    limit: readNumber(request, "limit", pageLimits.limit),
    offset: readNumber(request, "offset", pageLimits.offset),
  };
}

/** Reads whether the reader of an event stream wants drafts. Throws `HttpRefusalError` with one line for a value that is not allowed. */
export function readDrafts(request: Request): boolean {
  return readFlag(request, "drafts") ?? false;
}

/** Reads a query parameter that is `true` or `false`. Throws `HttpRefusalError` with one line for another value. */
export function readFlag(request: Request, name: string): boolean | undefined {
  const found = readChoice(request, name, ["true", "false"]);
  return found === undefined ? undefined : found === "true";
}

/** Reads a query parameter that is one of some words. Throws `HttpRefusalError` with one line for another value. */
export function readChoice<T extends string>({ url }: Request, name: string, words: readonly T[]): T | undefined {
  const given = new URL(url).searchParams.getAll(name);
  const [text] = given;
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (given.length === 1 && found !== undefined) return found;
  throw queryError(name, given, { zh: `${words.join("、")} 中的一个`, en: `one of ${words.join(", ")}` });
}

/** Reads the words that are searched for. Throws `HttpRefusalError` with one line where there is none, or too many letters. */
export function readSearch({ url }: Request): string | undefined {
  const given = new URL(url).searchParams.getAll("q");
  const [text] = given;
  if (text === undefined) return undefined;
  if (given.length === 1 && text.trim() !== "" && text.length <= longestSearch) return text;
  const allowed = {
    zh: `1 到 ${longestSearch} 个字符，且不全是空白`,
    en: `1 to ${longestSearch} characters that are not all blank`,
  };
  throw queryError("q", given, allowed);
}

/** Reads a query parameter that is a whole number. Throws `HttpRefusalError` with one line for another value. */
export function readNumber({ url }: Request, name: string, { from, to, otherwise }: NumberRange): number {
  const given = new URL(url).searchParams.getAll(name);
  const [text] = given;
  if (text === undefined) return otherwise;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (given.length === 1 && number >= from && number <= to) return number;
  const allowed = { zh: `${from} 到 ${to} 的一个整数`, en: `one whole number from ${from} to ${to}` };
  throw queryError(name, given, allowed);
}

function queryError(name: string, given: readonly string[], allowed: Text): HttpRefusalError {
  const shown = given.slice(0, 2).map(showValue).join(", ");
  const text = {
    zh: `${name}: ${shown} 不可用（允许：${allowed.zh}）`,
    en: `${name}: ${shown} is not allowed (allowed: ${allowed.en})`,
  };
  return new HttpRefusalError({ status: 400, text });
}
