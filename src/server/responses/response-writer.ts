import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import type { Outcome } from "../../core/run/outcome.ts";
import type { AnswerCitation, AnswerFinish, AnswerUsage } from "../model-api/answer/answer-end.ts";
import type { WrittenCall } from "./client-tools.ts";
import {
  createMessage,
  createReasoningItem,
  createText,
  type ItemStatus,
  type OutputItem,
  toCitation,
  toUsage,
  type WireMessage,
  type WireReasoning,
  type WireResponse,
  type WireSearch,
} from "./response-object.ts";

/** Represents an event of a streamed response. */
export type WireEvent = { type: EventType; sequence_number: number } & Readonly<Record<string, unknown>>;

type EventType = ResponseStreamEvent["type"];

/** Holds what an end of an answer adds to its response. */
export interface WrittenEnd {
  finish: AnswerFinish;
  citations: readonly AnswerCitation[];
  usage: AnswerUsage;
  notices: Outcome["notices"];
}

type CreateSearch = (responseId: string, index: number) => WireSearch;

export interface ResponseWriter {
  /** Is the response as it is now. It grows in place. */
  readonly response: WireResponse;
  /** Writes the first events. */
  begin(): void;
  /** Adds to the summary of the reasoning. A blank line at the beginning begins another part of it. */
  addReasoning(text: string): void;
  addText(text: string): void;
  addCall(call: WrittenCall): void;
  /** Adds a search that the run has made, as it has ended; behind the message that is being written, where there is one. */
  addSearch(createItem: CreateSearch): void;
  end(end: WrittenEnd): void;
  /** Ends a response that somebody has stopped. */
  cancel(usage?: AnswerUsage): void;
  fail(error: { code: string; message: string }): void;
  /** Ends as this response did, whose items were added before. */
  endAs(last: WireResponse): void;
}

export interface WriterOptions {
  /** Is true where the client wants reasoning back with which to go on by itself. */
  encryptsReasoning: boolean;
}

/**
 * Writes an answer as a response and as the events of its stream, which are numbered from 0. One item is written at a time: what comes
 * next ends the one before it.
 */
export function createResponseWriter(
  begun: WireResponse,
  push: (event: WireEvent) => void,
  { encryptsReasoning }: WriterOptions,
): ResponseWriter {
  const response = { ...begun };
  const { output } = response;
  let next = 0;
  let open: WireMessage | WireReasoning | undefined;
  /** Holds the searches that were made while a message is written, which is not cut in two by them. */
  const late: CreateSearch[] = [];

  function send(type: EventType, fields: Readonly<Record<string, unknown>>): void {
    push({ type, sequence_number: next++, ...fields });
  }

  /** A later change must not be seen in what was sent. */
  function sendResponse(type: EventType): void {
    send(type, { response: structuredClone(response) });
  }

  function sendItem(type: "response.output_item.added" | "response.output_item.done", item: OutputItem): void {
    send(type, { output_index: output.indexOf(item), item: structuredClone(item) });
  }

  function addItem(item: OutputItem): void {
    output.push(item);
    sendItem("response.output_item.added", item);
  }

  const locate = (item: OutputItem) => ({ item_id: item.id, output_index: output.indexOf(item) });

  function openReasoning(): WireReasoning {
    if (open?.type === "reasoning") return open;
    close("completed");
    const item = createReasoningItem(response.id, output.length, encryptsReasoning);
    addItem(item);
    open = item;
    return item;
  }

  function openPart(item: WireReasoning): void {
    const part = { type: "summary_text" as const, text: "" };
    item.summary.push(part);
    const place = { ...locate(item), summary_index: item.summary.length - 1 };
    send("response.reasoning_summary_part.added", { ...place, part: { ...part } });
  }

  function closePart(item: WireReasoning): void {
    const part = item.summary.at(-1);
    if (part === undefined) return;
    const place = { ...locate(item), summary_index: item.summary.length - 1 };
    send("response.reasoning_summary_text.done", { ...place, text: part.text });
    send("response.reasoning_summary_part.done", { ...place, part: { ...part } });
  }

  function openMessage(): WireMessage {
    if (open?.type === "message") return open;
    close("completed");
    const item = createMessage(response.id, output.length);
    addItem(item);
    const part = createText();
    item.content.push(part);
    send("response.content_part.added", { ...locate(item), content_index: 0, part: structuredClone(part) });
    open = item;
    return item;
  }

  function closeMessage(item: WireMessage, citations: readonly AnswerCitation[]): void {
    const [part] = item.content;
    if (part === undefined) return;
    const place = { ...locate(item), content_index: 0 };
    for (const [index, citation] of citations.entries()) {
      const annotation = toCitation(citation);
      part.annotations.push(annotation);
      send("response.output_text.annotation.added", { ...place, annotation_index: index, annotation });
    }
    send("response.output_text.done", { ...place, text: part.text, logprobs: [] });
    send("response.content_part.done", { ...place, part: structuredClone(part) });
  }

  function close(status: ItemStatus, citations: readonly AnswerCitation[] = []): void {
    const item = open;
    open = undefined;
    if (item?.type === "message") closeMessage(item, citations);
    else if (item) closePart(item);
    if (item) {
      item.status = status;
      sendItem("response.output_item.done", item);
    }
    for (const createItem of late.splice(0)) writeSearch(createItem);
  }

  function writeSearch(createItem: CreateSearch): void {
    const item = createItem(response.id, output.length);
    const { status } = item;
    item.status = "in_progress";
    addItem(item);
    const place = locate(item);
    send("response.web_search_call.in_progress", place);
    send("response.web_search_call.searching", place);
    item.status = status;
    if (status === "completed") send("response.web_search_call.completed", place);
    sendItem("response.output_item.done", item);
  }

  function settle(status: WireResponse["status"], usage: AnswerUsage | undefined): void {
    response.status = status;
    if (status === "completed") response.completed_at = toSeconds(Date.now());
    if (usage !== undefined) response.usage = toUsage(usage);
  }

  return {
    response,
    begin() {
      sendResponse("response.created");
      if (response.status === "queued") {
        sendResponse("response.queued");
        response.status = "in_progress";
      }
      sendResponse("response.in_progress");
    },
    addReasoning(text) {
      // Whoever reads an answer is not led away from it.
      if (open?.type === "message" || text === "") return;
      const item = openReasoning();
      const begins = item.summary.length > 0 && text.startsWith("\n\n");
      if (begins) closePart(item);
      if (begins || item.summary.length === 0) openPart(item);
      const part = item.summary.at(-1);
      const delta = begins || part?.text === "" ? text.trimStart() : text;
      if (part === undefined || delta === "") return;
      part.text += delta;
      const place = { ...locate(item), summary_index: item.summary.length - 1 };
      send("response.reasoning_summary_text.delta", { ...place, delta });
    },
    addText(text) {
      if (text === "") return;
      const item = openMessage();
      const [part] = item.content;
      if (part) part.text += text;
      send("response.output_text.delta", { ...locate(item), content_index: 0, delta: text, logprobs: [] });
    },
    addCall({ item: createItem, written, field, events }) {
      close("completed");
      const item = createItem(response.id, output.length);
      addItem(item);
      const place = locate(item);
      send(events.delta, { ...place, delta: written });
      send(events.done, { ...place, [field]: written, ...(item.type === "function_call" && { name: item.name }) });
      const done = { ...item, [field]: written, status: "completed" as const };
      output[output.indexOf(item)] = done;
      sendItem("response.output_item.done", done);
    },
    addSearch(createItem) {
      late.push(createItem);
      if (open?.type !== "message") close("completed");
    },
    end({ finish, citations, usage, notices }) {
      const isCut = finish === "length" || finish === "content-filter";
      if (finish !== "tool-calls") openMessage();
      close(isCut ? "incomplete" : "completed", citations);
      if (notices) response.notices = notices;
      settle(isCut ? "incomplete" : "completed", usage);
      if (isCut) response.incomplete_details = { reason: finish === "length" ? "max_output_tokens" : "content_filter" };
      sendResponse(isCut ? "response.incomplete" : "response.completed");
    },
    cancel(usage) {
      close("incomplete");
      settle("cancelled", usage);
      // There is no event of its own for it.
      sendResponse("response.incomplete");
    },
    fail({ code, message }) {
      close("incomplete");
      settle("failed", undefined);
      response.error = { code, message };
      sendResponse("response.failed");
    },
    endAs(last) {
      const message = last.output.findLast((item) => item.type === "message");
      const citations = message?.content.flatMap(({ annotations }) => annotations) ?? [];
      close(
        message?.status ?? "completed",
        citations.map(({ url, title, start_index: start, end_index: end }) => ({ url, title, start, end })),
      );
      Object.assign(response, last);
      sendResponse(lastEvents[last.status] ?? "response.incomplete");
    },
  };
}

const lastEvents: Readonly<Partial<Record<WireResponse["status"], EventType>>> = {
  completed: "response.completed",
  failed: "response.failed",
};

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
