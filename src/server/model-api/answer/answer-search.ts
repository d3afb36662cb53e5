import type { AgentEvent } from "../../../core/run/events.ts";
import { isRecord, toText } from "../../../kit/json.ts";

/** Represents a search of the web that a run has made by itself. */
export interface AnswerSearch {
  query: string;
  ok: boolean;
  /** Lists the addresses of the first pages that it found. */
  urls: readonly string[];
}

/** Reads the events of a run, in their order, and returns a search at the event with which it ends. */
export function createSearchReader(): (event: AgentEvent) => AnswerSearch | undefined {
  const queries = new Map<string, string>();
  return (event) => {
    if (event.type === "tool-start" && event.tool === "web_search")
      queries.set(event.callId, isRecord(event.arguments) ? toText(event.arguments.query) : "");
    if (event.type !== "tool-end") return undefined;
    const query = queries.get(event.callId);
    queries.delete(event.callId);
    if (query === undefined) return undefined;
    return { query, ok: event.ok, urls: event.top?.map(({ url }) => url) ?? [] };
  };
}
