import { createParser } from "eventsource-parser";
import { isRecord, toText, tryParseJson } from "../../../kit/json.ts";
import { type SearchCall, type ServiceReply, toBearer } from "../wire.ts";

const requestId = 1;

/**
 * Creates a call to one tool of a hosted MCP server without sessions. It is a single POST, answered in JSON or as an event
 * stream.
 */
export function createMcpCall(tool: string, args: Record<string, unknown>, key: string | undefined): SearchCall {
  return {
    headers: { accept: "application/json, text/event-stream", authorization: toBearer(key) },
    json: { jsonrpc: "2.0", id: requestId, method: "tools/call", params: { name: tool, arguments: args } },
    isWhole: (text) => /\n\r?\n$/.test(text) && decodeMcp(text) !== undefined,
  };
}

/**
 * Returns a tool's result (`content`, `structuredContent`), or `{ error }` when the tool or its server failed. Returns undefined
 * when the text is neither.
 */
export function decodeMcp(text: string): Record<string, unknown> | undefined {
  return (text.trimStart().startsWith("{") ? [text] : listEventData(text)).map(readOutcome).find(Boolean);
}

function readOutcome(text: string): Record<string, unknown> | undefined {
  const message = tryParseJson(text);
  if (!isRecord(message) || (message.id !== requestId && message.id !== null && message.id !== undefined))
    return undefined;
  if (isRecord(message.error)) return { error: message.error };
  if (!isRecord(message.result)) return undefined;
  const { result } = message;
  const isLimited = isRecord(result._meta) && result._meta["ai.exa/rateLimited"] === true;
  return result.isError === true || isLimited
    ? { error: { message: getText(result), code: isLimited ? "429" : "" } }
    : result;
}

/** Returns the `data` of each server-sent event. The last one counts without its empty line. */
function listEventData(text: string): string[] {
  const data: string[] = [];
  const parser = createParser({ onEvent: (event) => data.push(event.data) });
  parser.feed(`${text}\n\n`);
  return data;
}

export function getText(result: Record<string, unknown>): string {
  const items: unknown[] = Array.isArray(result.content) ? result.content : [];
  return items.flatMap((item) => (isRecord(item) ? toText(item.text) : [])).join("\n");
}

/** A failed tool reports its error as text in a response with HTTP status 200. */
export function findMcpRefusal({ status, code, message }: ServiceReply) {
  if (status !== 200 || message === "") return undefined;
  const words = `${code} ${message}`;
  if (/\b429\b|rate.?limit|too many requests/i.test(words)) return { kind: "rate" } as const;
  if (/\b402\b|quota|credits/i.test(words)) return { kind: "quota" } as const;
  if (/\b40[13]\b|unauthori[sz]ed|api key/i.test(words)) return { kind: "auth" } as const;
  return { kind: "blocked" } as const;
}
