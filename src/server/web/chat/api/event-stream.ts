import { createParser } from "eventsource-parser";
import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";

/** Represents a message of an event stream. Missing fields are empty. */
export interface StreamMessage {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/**
 * Silence longer than this, in milliseconds, is treated as a lost connection. The server sends at least a keep-alive every ten
 * seconds.
 */
export const idleTimeoutMs = 35_000;

/** Ends when the stream does, or when it has been silent for too long. */
export async function listen(
  response: Response,
  attach: AbortController,
  onMessages: (messages: readonly StreamMessage[]) => void,
): Promise<void> {
  if (response.body === null) return;
  let timer = setTimeout(() => attach.abort(), idleTimeoutMs);
  try {
    for await (const messages of readMessages(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => attach.abort(), idleTimeoutMs);
      onMessages(messages);
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Yields the messages of an event stream (HTML, 9.2.6), grouped as they arrived. A group is empty when only a comment arrived.
 */
export async function* readMessages(stream: ReadableStream<Uint8Array>): AsyncGenerator<readonly StreamMessage[]> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let messages: StreamMessage[] = [];
  const parser = createParser({
    onEvent({ id = "", event = "", data }) {
      if (data !== "") messages.push({ id, event, data });
    },
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      messages = [];
      parser.feed(decoder.decode(value, { stream: true }));
      yield messages;
    }
  } finally {
    await ignoreRejection(reader.cancel(), "the connection is left in any case");
  }
}
