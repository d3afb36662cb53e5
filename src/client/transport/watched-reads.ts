import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { tryParseJson } from "../../kit/json.ts";
import { type Fetch, findLastBlankLine, isEventStream } from "./limited-fetch.ts";
import { type ParseMessage, readMessage, toMalformedError } from "./malformed-responses.ts";

/**
 * Knows what an HTTP transport of the package has read and may be about to refuse: the error that it reports of a malformed response
 * does not hold the response. So a good message is neither parsed nor checked a second time.
 */
export interface WatchedReads {
  /** Watches how the package reads the bodies of this `fetch`. */
  watch(fetch: Fetch): Fetch;
  /** Fails the requests whose responses the transport refuses from now on. It must not be connected yet. */
  attach(transport: Transport): void;
}

export function createWatchedReads(parse: ParseMessage): WatchedReads {
  /** Holds for each body, while the package handles what it has read of it, what replaces a malformed response. */
  const current = new Set<() => void>();
  let deliver: (message: JSONRPCMessage) => void = () => {};

  /** Returns the error for an event that is a malformed response. Events beside the one that was refused may be good. */
  function findError(data: string): JSONRPCMessage | undefined {
    const value = tryParseJson(data);
    try {
      parse(value);
      return undefined;
    } catch {
      return toMalformedError(value);
    }
  }

  /** Watches the events of Streamable HTTP. The error takes the place of its event, so that the package knows the stream as answered. */
  function watchEvents(reader: ReadableStreamDefaultReader<EventSourceMessage>): typeof reader {
    const read = reader.read.bind(reader);
    let last: EventSourceMessage | undefined;
    let replacement: EventSourceMessage | undefined;
    const replace = (): void => {
      const error = last && findError(last.data);
      if (last !== undefined && error !== undefined) replacement = { ...last, data: JSON.stringify(error) };
    };
    return Object.assign(reader, {
      async read() {
        current.delete(replace);
        const value = replacement;
        replacement = undefined;
        if (value !== undefined) return { done: false, value };
        const result = await read();
        last = result.value;
        if (!result.done) current.add(replace);
        return result;
      },
    });
  }

  /** Watches the bytes of HTTP+SSE, whose reader handles all events of a chunk before it reads the next. */
  function watchBytes(reader: ReadableStreamDefaultReader<Uint8Array>): typeof reader {
    const read = reader.read.bind(reader);
    /** Holds the last chunk, and those with which its first event began. */
    let chunks: Uint8Array[] = [];
    const replace = (): void => {
      const parser = createParser({
        onEvent({ data }) {
          const error = findError(data);
          if (error !== undefined) deliver(error);
        },
      });
      parser.feed(Buffer.concat(chunks).toString("utf8"));
    };
    return Object.assign(reader, {
      async read() {
        current.delete(replace);
        const result = await read();
        const last = chunks.at(-1);
        const end = last === undefined ? -1 : findLastBlankLine(last);
        if (last !== undefined && end !== -1) chunks = [last.subarray(end)];
        if (result.value !== undefined) chunks.push(result.value);
        if (!result.done) current.add(replace);
        return result;
      },
    });
  }

  function watchStream(body: ReadableStream<Uint8Array>): void {
    const getReader = body.getReader.bind(body);
    const decode = body.pipeThrough.bind(body);
    // Streamable HTTP pipes a body through a decoder and a parser of events; HTTP+SSE reads it.
    Object.assign(body, {
      getReader: () => watchBytes(getReader()),
      pipeThrough(...decoder: Parameters<typeof decode>) {
        const text = decode(...decoder);
        const toEvents = text.pipeThrough.bind(text);
        return Object.assign(text, {
          pipeThrough(...parser: Parameters<typeof toEvents>) {
            const events = toEvents(...parser);
            const readEvents = events.getReader.bind(events);
            return Object.assign(events, {
              getReader: () => watchEvents(readEvents() as ReadableStreamDefaultReader<EventSourceMessage>),
            });
          },
        });
      },
    });
  }

  /** Where one message of a body is malformed, the package refuses all of them. */
  function watchJson(response: Response): Response {
    const json = response.json.bind(response);
    return Object.assign(response, {
      async json() {
        const body: unknown = await json();
        const replace = (): void => {
          for (const value of Array.isArray(body) ? body : [body]) {
            const message = readMessage(value, parse);
            if (message !== undefined) deliver(message);
          }
        };
        current.add(replace);
        setImmediate(() => current.delete(replace));
        return body;
      },
    });
  }

  return {
    watch: (fetch) => async (url, init) => {
      const response = await fetch(url, init);
      if (response.body === null) return response;
      if (!isEventStream(response)) return watchJson(response);
      watchStream(response.body);
      return response;
    },
    attach(transport) {
      deliver = (message) => transport.onmessage?.(message);
      transport.onerror = () => {
        const replacing = [...current];
        current.clear();
        for (const replace of replacing) replace();
      };
    },
  };
}
