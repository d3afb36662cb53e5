import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRecord } from "../../src/core/json.ts";
import type { ModelEvent } from "../../src/core/model.ts";
import { createModel } from "../../src/providers/create.ts";
import { httpError } from "../../src/providers/errors.ts";
import { wires } from "../../src/providers/settings.ts";
import { type Replay, startReplay } from "../fakes/replay.ts";
import { heard, question, settings, textOf } from "./reading.ts";

const own = join(import.meta.dirname, "fixtures");
const shared = process.env.DUET_RECORDINGS;
const sources = shared ? [own, shared] : [own];

if (!shared) test.skip("the shared recordings are skipped: DUET_RECORDINGS does not name their folder", () => {});

interface Recording {
  name: string;
  kind: string;
  wire: string;
  http: { status: number; headers?: Record<string, string> };
  expected: Record<string, unknown>;
  bytes: Buffer;
}

const recordings = sources.flatMap(readRecordings).filter((recording) => wires.some((wire) => wire === recording.wire));

describe("recorded streams", () => {
  let replay: Replay;
  beforeAll(async () => {
    replay = await startReplay();
  });
  afterAll(() => replay.close());

  for (const recording of recordings.filter((candidate) => candidate.kind === "stream")) {
    for (const pieceSize of [0, 7, 1]) {
      test(`${recording.name} is read as it was meant, ${pieceSize || "all"} bytes at a time`, async () => {
        replay.serve({ headers: recording.http.headers, body: recording.bytes }, pieceSize);
        const got = await play(replay, recording);
        const { expected } = recording;
        expect(got.text).toBe(expected.text);
        expect(got.reasoning).toBe(expected.reasoning);
        expect(got.outcome).toBe(expected.outcome);
        if (!got.turn) return;
        expect(got.turn.message.toolCalls.map(toExpectedCall)).toEqual(expected.toolCalls);
        expect(got.turn.finish === "tool-calls").toBe(expected.runTools);
        expect(got.turn.usage).toMatchObject(expectedUsage(expected.usage));
      });
    }
  }
});

describe("recorded errors", () => {
  for (const recording of recordings.filter((candidate) => candidate.kind === "http-error")) {
    test(`${recording.name} is classified`, () => {
      const { status, headers } = recording.http;
      const body = recording.bytes.toString("utf8");
      const error = httpError({ status, headers: new Headers(headers), body }, settings());
      expect(error).toMatchObject({
        code: codes[String(recording.expected.class)] ?? recording.expected.class,
        retryable: recording.expected.retryable,
      });
      if (typeof recording.expected.retryAfterMs === "number") {
        expect(error.retryAfterMs).toBe(recording.expected.retryAfterMs);
      }
    });
  }
});

/** Our codes are fewer than the recorder's classes. */
const codes: Record<string, string> = { permission: "auth", not_found: "invalid_request" };

async function play(replay: Replay, recording: Recording) {
  const wire = wires.find((name) => name === recording.wire) ?? "openai-chat";
  const baseUrl = wire === "openai-chat" ? `${replay.url}/v1` : replay.url;
  const model = createModel(settings({ wire, baseUrl }), { sleep: async () => {} });
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(question, new AbortController().signal)) {
      // A retry begins again: only what the last attempt said counts.
      if (event.type === "notice" && event.code === "retry") events.length = 0;
      else events.push(event);
    }
    const { text, reasoning, turn } = heard(events);
    return { text, reasoning, turn, outcome: outcomes[turn.finish] };
  } catch (error) {
    const text = textOf(events, "text-delta");
    const reasoning = textOf(events, "reasoning-delta");
    const cut = isRecord(error) && error.code === "bad_response";
    return { text, reasoning, turn: undefined, outcome: cut ? "incomplete" : "error" };
  }
}

const outcomes = {
  stop: "ok",
  "tool-calls": "ok",
  length: "length",
  refused: "refusal",
  "content-filter": "content_filter",
};

function toExpectedCall(call: { id: string; name: string; arguments: unknown; argumentsText: string }) {
  const { id, name, argumentsText } = call;
  return { id, name, arguments: call.arguments ?? null, argumentsRaw: argumentsText };
}

function expectedUsage(usage: unknown) {
  if (!isRecord(usage)) return { inputTokens: 0, outputTokens: 0 };
  return {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokensAll ?? usage.outputTokens,
    reasoningTokens: usage.reasoningTokens ?? 0,
    cachedTokens: usage.cacheReadTokens ?? 0,
  };
}

function readRecordings(folder: string): Recording[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json") && !name.endsWith(".body.json"))
    .map((name) => {
      const recording = JSON.parse(readFileSync(join(folder, name), "utf8"));
      return { ...recording, bytes: readFileSync(join(folder, recording.file)) };
    });
}
