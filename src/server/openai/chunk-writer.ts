import type { Locale } from "../../kit/locale.ts";
import { openAi } from "../http/response/dialects.ts";
import type { AnswerEvent } from "../model-api/answer/answer-events.ts";
import type { AnswerWriter } from "../model-api/answer/stream-answer.ts";
import { type CompletionId, type Delta, toAnnotations, toChunk, toUsageChunk, toWireCall } from "./completion.ts";

export interface ChunkWriterOptions {
  naming: CompletionId;
  includesUsage: boolean;
  locale: Locale;
}

/** Writes an answer as the pieces of a chat completion. */
export function createChunkWriter({ naming, includesUsage, locale }: ChunkWriterOptions): AnswerWriter {
  let calls = 0;
  const write = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
  const add = (delta: Delta): string => write(toChunk(naming, delta, null, { includesUsage }));

  function writeEvent(event: AnswerEvent): string {
    switch (event.type) {
      case "text":
        return add({ content: event.text });
      case "reasoning":
        return add({ reasoning_content: event.text });
      case "tool-call":
        return add({ tool_calls: [{ index: calls++, ...toWireCall(event.call) }] });
      case "search":
        return "";
      case "tick":
        // Readers of several clients take the empty line after a comment for an event without data.
        return add({});
      case "failure":
        return write(openAi(event.failure, locale).body);
      case "end": {
        const { citations, finish, notices, usage } = event.end;
        return [
          citations.length > 0 ? add({ annotations: toAnnotations(citations) }) : "",
          write(toChunk(naming, {}, finish, { includesUsage, notices })),
          includesUsage ? write(toUsageChunk(naming, usage)) : "",
        ].join("");
      }
      default:
        return event satisfies never;
    }
  }

  return {
    open: () => add({ role: "assistant", content: "" }),
    write: writeEvent,
    close: () => "data: [DONE]\n\n",
  };
}
