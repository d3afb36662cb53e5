import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createIdleTimeout } from "../../../src/providers/wires/idle-timeout.ts";
import { toResponseBody } from "../../../src/providers/wires/response-body.ts";
import { readServerEvents } from "../../../src/providers/wires/server-events.ts";
import type { ServerEvent } from "../../../src/providers/wires/turn-reader.ts";
import { settings } from "../reading.ts";

async function read(chunks: Buffer[], contentType = "text/event-stream") {
  const idleTimeout = createIdleTimeout(settings(), new AbortController().signal);
  try {
    const events: ServerEvent[] = [];
    const body = toResponseBody(Readable.from(chunks, { objectMode: false }), new AbortController().signal);
    await readServerEvents(body, contentType, idleTimeout, settings(), (batch) => {
      events.push(...batch);
      return false;
    });
    return events.map(({ event, data }) => (event ? `${event}=${data}` : data));
  } finally {
    idleTimeout.close();
  }
}

describe("server-sent events", () => {
  const forms = {
    "line feeds": 'data: {"a":"雨🌧"}\n\n: note\n\nevent: x\ndata: 1\ndata: 2\n\ndata:[DONE]\n\n',
    "carriage returns and line feeds":
      'data: {"a":"雨🌧"}\r\n\r\n: note\r\n\r\nevent: x\r\ndata: 1\r\ndata: 2\r\n\r\ndata:[DONE]\r\n\r\n',
    "carriage returns": 'data: {"a":"雨🌧"}\r\r: note\r\revent: x\rdata: 1\rdata: 2\r\rdata:[DONE]\r\r',
    "a byte order mark": '\uFEFFdata: {"a":"雨🌧"}\n\nevent: x\ndata: 1\ndata: 2\n\ndata: [DONE]\n\n',
    "no empty line at the end": 'data: {"a":"雨🌧"}\n\nevent: x\ndata: 1\ndata: 2\n\ndata: [DONE]',
  };
  test.each(Object.entries(forms))("are the same with %s, however they are split", async (_, text) => {
    const bytes = Buffer.from(text);
    const cuts = fc.uniqueArray(fc.nat(bytes.length), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        const edges = [0, ...at.toSorted((a, b) => a - b), bytes.length];
        const chunks = edges.slice(1).map((end, position) => bytes.subarray(edges[position], end));
        expect(await read(chunks.filter((chunk) => chunk.length > 0))).toEqual(['{"a":"雨🌧"}', "x=1\n2", "[DONE]"]);
      }),
      { numRuns: 50 },
    );
  });

  test("that end in the middle of one do not have it", async () => {
    expect(await read([Buffer.from('data: 1\n\ndata: {"a":')])).toEqual(["1"]);
  });

  test("may be one JSON document", async () => {
    expect(await read([Buffer.from('{"a"'), Buffer.from(":1}")], "application/json")).toEqual(['{"a":1}']);
  });

  test("are not a page", async () => {
    await expect(read([Buffer.from("<html>")], "text/html; charset=utf-8")).rejects.toMatchObject({
      code: "bad_response",
      retryable: false,
    });
  });

  test("end where one becomes too long, and where all of them do", async () => {
    const megabyte = Buffer.alloc(1024 * 1024, "x");
    const one = [Buffer.from("data: "), ...new Array(17).fill(megabyte)];
    await expect(read(one)).rejects.toMatchObject({
      code: "bad_response",
      message: expect.stringContaining("too long"),
    });
    const comment = Buffer.concat([Buffer.from(": "), megabyte, Buffer.from("\n\n")]);
    await expect(read(new Array(65).fill(comment))).rejects.toMatchObject({ code: "bad_response" });
  });
});
