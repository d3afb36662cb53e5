import { formatDay } from "../../agent/prompts/prompts.ts";
import { mapTexts } from "../../core/model/message-content.ts";
import type { Message } from "../../core/model/messages.ts";
import type { ModelRequest } from "../../core/model/model.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../kit/json.ts";
import { detectLanguage, type Locale } from "../../kit/locale.ts";

/**
 * Returns a request without what differs from run to run although the same is asked: the day, the marker of untrusted text, and in
 * prompts the folders of this machine, which a replay has elsewhere.
 */
export function normalizeRequest(request: ModelRequest, folders: readonly string[] = []): ModelRequest {
  const marker = /<<<result ([0-9a-f]{8})(?=[\s\\])/.exec(JSON.stringify(request.messages))?.[1];
  const hideMarker = (text: string): string => (marker === undefined ? text : text.replaceAll(marker, sameMarker));
  const messages = request.messages.map((message) => normalizeMessage(message, hideMarker, folders));
  return { ...request, messages };
}

function normalizeMessage(message: Message, hideMarker: (text: string) => string, folders: readonly string[]): Message {
  if (message.role === "tool") return { ...message, content: mapTexts(message.content, hideMarker) };
  if (message.role === "assistant") return { ...message, content: hideMarker(message.content) };
  if (message.role === "user") {
    const change = (text: string): string =>
      hideMarker(text.replace(dayNote, (note) => sameDayNote[detectLanguage(note, "en")]));
    return { ...message, content: mapTexts(message.content, change) };
  }
  const withoutDay = message.content.replaceAll(formatDay(new Date()), sameDay);
  // A root folder is in every path, and stays.
  const known = folders.filter(({ length }) => length > 3).sort((a, b) => b.length - a.length);
  return {
    ...message,
    content: hideMarker(known.reduce((text, folder) => text.replaceAll(folder, "FOLDER"), withoutDay)),
  };
}

const dayNote = /^(?:Today is \d{4}-\d\d-\d\d \([^\n]*\)\.|今天是 \d{4}-\d\d-\d\d（[^\n]*）。)/;

// They have the form of what they stand for, so that they weigh the same.
const sameMarker = "0a1b2c3d";
const sameDay = "2000-01-01";
const sameDayNote: Readonly<Record<Locale, string>> = {
  zh: `今天是 ${sameDay}（星期六，时区 UTC）。`,
  en: `Today is ${sameDay} (Saturday, UTC).`,
};

/** Returns what a normalized request says as plain JSON. */
export function toPlainRequest(request: ModelRequest): JsonObject {
  const { messages, tools, maxTokens, stop, toolChoice, responseFormat } = request;
  return JSON.parse(JSON.stringify({ messages, tools, maxTokens, stop, toolChoice, responseFormat }));
}

/** Describes where two JSON values differ first, and how: `messages[2].content`. */
export interface Difference {
  path: string;
  recorded: string;
  asked: string;
}

/** Returns the first difference, in the order in which the recorded value is written; undefined where there is none. */
export function findDifference(recorded: unknown, asked: unknown, path = ""): Difference | undefined {
  if (Array.isArray(recorded) && Array.isArray(asked)) {
    for (let index = 0; index < Math.max(recorded.length, asked.length); index++) {
      const found = findDifference(recorded[index], asked[index], `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isRecord(recorded) && isRecord(asked)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(asked)])) {
      const found = findDifference(recorded[key], asked[key], path === "" ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (recorded === asked) return undefined;
  const from = typeof recorded === "string" && typeof asked === "string" ? findStart(recorded, asked) : 0;
  return { path, recorded: showFrom(recorded, from), asked: showFrom(asked, from) };
}

/** Returns where the texts begin to differ, with some of what is before it. */
function findStart(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index++;
  return Math.max(0, index - 20);
}

function showFrom(value: unknown, from: number): string {
  if (value === undefined) return "—";
  const text = typeof value === "string" ? value.slice(from, from + 60) : JSON.stringify(value).slice(0, 80);
  const shown = typeof value === "string" ? JSON.stringify(text) : text;
  return from > 0 ? `…${shown}` : shown;
}

/** Writes JSON with the keys of objects in order, so that equal values give equal texts. */
export function toSortedJson(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
