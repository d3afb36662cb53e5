import { followSignal } from "../../kit/async/timeout.ts";
import { toTypedFrame } from "../api/events/event-frames.ts";
import type { HttpConnection } from "../http/connection.ts";
import type { LiveResponse } from "./live-response.ts";
import type { WireResponse } from "./response-object.ts";
import { createResponseWriter, type WireEvent } from "./response-writer.ts";
import { toEmptyResponse, writeItems } from "./write-items.ts";

/** Ends a piece after the event with which it exceeds this length, in UTF-16 units. */
const pieceLength = 65_536;

/**
 * Streams a response to one reader, from the event with this number on. A reader is an index into the list of events, so a slow one
 * holds at most one piece in memory. `until` ends the stream without the end of the response.
 */
export function streamResponse(
  live: LiveResponse,
  from: number,
  { connection, until }: { connection: Pick<HttpConnection, "drained">; until?: AbortSignal | undefined },
): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const unfollow = followSignal(left, until);
  let isGone = false;
  let next = from;
  let { ticks } = live;

  function takePiece(): string {
    let text = "";
    // The end is told once it can be asked for.
    const ready = live.isSettled || !live.isOver ? live.events.length : live.events.length - 1;
    while (next < ready && text.length <= pieceLength) {
      const event = live.events[next++];
      if (event) text += toTypedFrame(event);
    }
    return text;
  }

  async function take(): Promise<string | undefined> {
    for (;;) {
      await connection.drained();
      const text = takePiece();
      if (text !== "") return text;
      if (left.signal.aborted || live.isSettled) return undefined;
      if (live.ticks !== ticks) {
        ticks = live.ticks;
        return toTypedFrame(createKeepAlive(live, next - 1));
      }
      await live.waitForEvent(left.signal);
    }
  }

  return new ReadableStream(
    {
      async pull(controller) {
        const text = await take();
        if (isGone) return;
        if (text !== undefined) return controller.enqueue(Buffer.from(text));
        unfollow();
        controller.close();
      },
      cancel() {
        isGone = true;
        unfollow();
        left.abort();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The official clients refuse a kind of event that they do not know, and some end at a comment. It has the number of the event before it. */
function createKeepAlive({ response }: LiveResponse, sequence_number: number): WireEvent {
  return { type: "response.in_progress", sequence_number, response };
}

/** Returns the events of a response that has ended, with the texts whole, from the event with this number on; at least the last one. */
export function replayResponse(response: WireResponse, from: number): string {
  const events: WireEvent[] = [];
  const writer = createResponseWriter(toEmptyResponse(response), (event) => events.push(event), {
    encryptsReasoning: false,
  });
  writer.begin();
  writeItems(writer, response.output);
  writer.endAs(response);
  return events
    .slice(Math.min(from, events.length - 1))
    .map(toTypedFrame)
    .join("");
}
