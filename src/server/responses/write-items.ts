import type { WholeText } from "../model-api/answer/answer-events.ts";
import { toWrittenCall } from "./client-tools.ts";
import type { OutputItem, WireResponse } from "./response-object.ts";
import { createResponseWriter, type ResponseWriter, type WriterOptions } from "./response-writer.ts";

/** Returns a response as it was when its first item was still to come. */
export function toEmptyResponse(response: WireResponse): WireResponse {
  const unknown = { completed_at: null, usage: null, incomplete_details: null };
  return { ...response, ...unknown, output: [], status: "in_progress" };
}

/** Writes items again, with the texts whole. */
export function writeItems(writer: ResponseWriter, items: readonly OutputItem[]): void {
  for (const item of items) {
    if (item.type === "reasoning") for (const part of item.summary) writer.addReasoning(`\n\n${part.text}`);
    else if (item.type === "message") writer.addText(item.content.map(({ text }) => text).join(""));
    else if (item.type === "web_search_call") writer.addSearch(() => ({ ...item }));
    else writer.addCall(toWrittenCall(item));
  }
}

/**
 * Returns a response as its run has ended, where what its readers were sent is only a part of the answer: with the reasoning and the
 * searches that it has, and the answer whole.
 */
export function rewriteResponse(
  response: WireResponse,
  { whole, ...options }: WriterOptions & { whole: WholeText },
): WireResponse {
  const writer = createResponseWriter(toEmptyResponse(response), () => {}, options);
  writeItems(
    writer,
    response.output.filter(({ type }) => type !== "message"),
  );
  writer.addText(whole.text);
  writer.end(whole.end);
  return writer.response;
}
