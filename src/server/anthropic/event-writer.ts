import type { Locale } from "../../kit/locale.ts";
import { toEventFrame, toTypedFrame } from "../api/events/event-frames.ts";
import { toAnthropicError } from "../http/response/dialects.ts";
import type { AnswerEnd, AnswerUsage } from "../model-api/answer/answer-end.ts";
import type { AnswerEvent } from "../model-api/answer/answer-events.ts";
import type { AnswerWriter } from "../model-api/answer/stream-answer.ts";
import { type MessageId, stopReasons, toCitation, toMessage, toToolUse, toUsage } from "./message.ts";

type TextBlock = "text" | "thinking";

/** Writes an answer as the events of a message. Only one block is open at a time. */
export function createEventWriter(naming: MessageId, locale: Locale, requestId: string): AnswerWriter {
  let index = -1;
  let open: TextBlock | undefined;

  const add = (delta: object): string => toTypedFrame({ type: "content_block_delta", index, delta });

  function begin(block: object): string {
    index += 1;
    return toTypedFrame({ type: "content_block_start", index, content_block: block });
  }

  /** Ends the open block. A block of thoughts has a signature, which some clients demand before they send it back. */
  function end(): string {
    if (open === undefined) return "";
    const signed = open === "thinking" ? add({ type: "signature_delta", signature: naming.id }) : "";
    open = undefined;
    return signed + toTypedFrame({ type: "content_block_stop", index });
  }

  function beginText(type: TextBlock): string {
    if (open === type) return "";
    const ended = end();
    open = type;
    return ended + begin(type === "text" ? { type, text: "", citations: null } : { type, thinking: "", signature: "" });
  }

  /** Clients take the last block for the answer, so that thoughts which come after it has begun are left out. */
  function addThought(text: string): string {
    if (open === "text") return "";
    return beginText("thinking") + add({ type: "thinking_delta", thinking: text });
  }

  /** Sources belong to the text. Where calls followed it, a block of its own has them. */
  function finish({ citations, finish: finished, usage, notices }: AnswerEnd): string {
    const cited = citations.map((each) => add({ type: "citations_delta", citation: toCitation(each) }));
    const stop = { stop_reason: stopReasons[finished], stop_sequence: null };
    const whole = { type: "message_delta", delta: stop, usage: toUsage(usage), ...(notices && { notices }) };
    return cited.join("") + end() + toTypedFrame(whole) + toTypedFrame({ type: "message_stop" });
  }

  function writeEvent(event: AnswerEvent): string {
    switch (event.type) {
      case "text":
        return beginText("text") + add({ type: "text_delta", text: event.text });
      case "reasoning":
        return addThought(event.text);
      case "tool-call": {
        const ended = end();
        const begun = begin({ ...toToolUse(event.call), input: {} });
        const input = add({ type: "input_json_delta", partial_json: event.call.argumentsText });
        return ended + begun + input + toTypedFrame({ type: "content_block_stop", index });
      }
      case "search":
        return "";
      case "tick":
        return toTypedFrame({ type: "ping" });
      case "failure":
        return end() + toEventFrame("error", toAnthropicError(event.failure, locale, requestId).body);
      case "end":
        return (event.end.citations.length > 0 ? beginText("text") : "") + finish(event.end);
      default:
        return event satisfies never;
    }
  }

  return {
    open() {
      const ending = { stop_reason: null, stop_sequence: null, usage: toUsage(nothing) };
      return (
        toTypedFrame({ type: "message_start", message: toMessage(naming, [], ending) }) + toTypedFrame({ type: "ping" })
      );
    },
    write: writeEvent,
    close: () => "",
  };
}

const nothing: AnswerUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
