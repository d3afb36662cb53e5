import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { Turn } from "../../src/core/model.ts";
import { MessageReader } from "../../src/providers/anthropic-messages/stream.ts";
import { ChatReader } from "../../src/providers/openai-chat/stream.ts";
import { watchSilence } from "../../src/providers/silence.ts";
import { serverEvents } from "../../src/providers/sse.ts";
import { settings } from "./reading.ts";

async function readTurn(name: string, bytes: Buffer): Promise<Turn | undefined> {
  const reader = name.startsWith("chat")
    ? new ChatReader(settings(), () => "x")
    : new MessageReader(settings(), () => "x");
  const silence = watchSilence(settings(), new AbortController().signal);
  try {
    for await (const events of serverEvents(Readable.from([bytes]), "text/event-stream", silence, settings())) {
      for (const event of events) if (!reader.done) reader.read(event, []);
    }
    return reader.end();
  } catch {
    return undefined;
  } finally {
    silence.close();
  }
}

describe("a stream that is cut at any byte", () => {
  test.each(["chat-zero-index-for-all-calls", "messages-thinking-text-and-tool"])(
    "is whole or no turn: %s",
    async (name) => {
      const bytes = readFileSync(join(import.meta.dirname, "fixtures", `${name}.sse`));
      const whole = await readTurn(name, bytes);
      expect(whole?.finish).toBe("tool-calls");
      let turns = 0;
      for (let length = 0; length < bytes.length; length++) {
        const turn = await readTurn(name, bytes.subarray(0, length));
        if (!turn) continue;
        turns++;
        expect({ ...turn, usage: 0 }).toEqual({ ...whole, usage: 0 });
      }
      expect(turns).toBeGreaterThan(0);
      expect(turns).toBeLessThan(bytes.length / 2);
    },
  );
});
