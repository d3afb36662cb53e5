import { formatDay } from "../../agent/prompts/prompts.ts";
import type { ModelRequest } from "../../core/model.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../kit/json.ts";

/**
 * Returns what a model is sent as plain JSON, without what differs from run to run although the same is asked: the day, the marker
 * of untrusted text, and in prompts the folders of this machine.
 */
export function toPlainRequest(request: ModelRequest, folders: readonly string[] = []): JsonObject {
  const { tools, maxTokens, stop, toolChoice, responseFormat } = request;
  const messages = request.messages.map((message) => removeFolders(removeDay(message), folders));
  const written = JSON.stringify({ messages, tools, maxTokens, stop, toolChoice, responseFormat });
  const marker = /<<<result ([0-9a-f]{8})(?=[\s\\])/.exec(written)?.[1];
  return JSON.parse(marker === undefined ? written : written.replaceAll(marker, "MARKER"));
}

type Message = ModelRequest["messages"][number];

/** Replaces the folders, because a recording is replayed elsewhere, too. A root folder is in every path, and stays. */
function removeFolders(message: Message, folders: readonly string[]): Message {
  if (message.role !== "system") return message;
  const known = folders.filter(({ length }) => length > 3).sort((a, b) => b.length - a.length);
  return { ...message, content: known.reduce((text, folder) => text.replaceAll(folder, "FOLDER"), message.content) };
}

const dayNote = /^(?:Today is \d{4}-\d\d-\d\d \([^\n]*\)\.|今天是 \d{4}-\d\d-\d\d（[^\n]*）。)/;

function removeDay(message: Message): Message {
  if (message.role === "user" && typeof message.content === "string")
    return { ...message, content: message.content.replace(dayNote, "TODAY") };
  if (message.role !== "system") return message;
  return { ...message, content: message.content.replaceAll(formatDay(new Date()), "TODAY") };
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
