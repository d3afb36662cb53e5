import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FinishReason, ModelEvent, Turn, Usage } from "../../src/core/model/model.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { isRecord } from "../../src/kit/json.ts";
import { createModel } from "../../src/providers/create-model.ts";
import { type Replay, startReplay } from "../fakes/replay.ts";
import { folderNamedBy, requires } from "../runner/requirements.ts";
import { heard, question, settings, textOf } from "./reading.ts";
import { allRecordings, ownFolder, type Recording, recordingsIn, sharedRecordings } from "./recordings.ts";

const recordings = allRecordings();

let replay: Replay;
beforeAll(async () => {
  replay = await startReplay();
});
afterAll(() => replay.close());

test("each recording of our own has a name of its own, and all wires and kinds are among them", () => {
  const own = recordingsIn(ownFolder);
  expect(own.length).toBeGreaterThanOrEqual(96);
  expect(new Set(recordings.map(({ name }) => name)).size).toBe(recordings.length);
  const streams = own.filter(({ kind }) => kind === "stream");
  expect(new Set(streams.map(({ wire }) => wire)).size).toBe(3);
  expect(new Set(own.map(({ kind }) => kind)).size).toBe(3);
});

test("the index beside our recordings says of each what it is there for", () => {
  const index = readFileSync(join(ownFolder, "README.md"), "utf8");
  const rows = [...index.matchAll(/^\| `(\S+)` *\| (.*?) *\|$/gm)].map(([, name, shows]) => ({ name, shows }));
  expect(rows.toSorted(byName)).toEqual(
    recordingsIn(ownFolder)
      .map(({ name, shows }) => ({ name, shows }))
      .toSorted(byName),
  );
});

test(
  "each shared recording has one of our own that shows the same",
  requires(folderNamedBy("DUET_RECORDINGS", "recorded provider streams")),
  () => {
    const own = recordingsIn(ownFolder).map(({ name, kind, wire }) => ({ name: `shared/${name}`, kind, wire }));
    const shared = sharedRecordings().map(({ name, kind, wire }) => ({ name, kind, wire }));
    expect(shared.length).toBeGreaterThanOrEqual(87);
    expect(own).toEqual(expect.arrayContaining(shared));
  },
);

test("what is sent in pieces arrives in pieces", async () => {
  const bytes = Buffer.from("data: 早上好\n\n".repeat(50));
  replay.serve({ body: bytes }, 7);
  const { body } = await fetch(replay.url);
  const pieces = await Array.fromAsync(body ?? [], (piece: Uint8Array) => piece.length);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(14);
});

describe.each([
  ["whole", 0],
  ["17 bytes at a time", 17],
  ["1 byte at a time", 1],
])("%s", (_, pieceSize) => {
  // Each piece costs a turn of the loop: byte by byte only the shorter recordings come.
  const ofKind = (kind: Recording["kind"]) =>
    recordings.filter((recording) => recording.kind === kind && (pieceSize !== 1 || recording.bytes.length <= 1_500));

  test.each(ofKind("stream").map((recording) => [recording.name, recording] as const))(
    "the stream %s is read as it was meant",
    async (_, recording) => {
      const got = await play(recording, pieceSize);
      const { expected } = recording;
      expect(got.text).toBe(expected.text);
      expect(got.reasoning).toBe(expected.reasoning);
      expect(got.outcomes).toContain(expected.outcome);
      if (!got.turn) return;
      expect(got.turn.message).toMatchObject({ content: expected.text });
      expect(got.turn.message.toolCalls.map(toExpectedCall)).toEqual(expectedCalls(expected.toolCalls));
      expect(got.turn.finish === "tool-calls").toBe(expected.runTools);
      expectUsage(got.turn.usage, expected.usage);
    },
  );

  test.each(ofKind("http-error").map((recording) => [recording.name, recording] as const))(
    "the error %s is told apart",
    async (_, recording) => {
      const { error } = await play(recording, pieceSize);
      const { class: name, retryable, retryAfterMs } = recording.expected;
      expect(error).toMatchObject({ code: codes[String(name)] ?? name, retryable });
      if (typeof retryAfterMs === "number") expect(error?.retryAfterMs).toBe(retryAfterMs);
    },
  );

  test.each(ofKind("json").map((recording) => [recording.name, recording] as const))(
    "the whole answer %s is read, although a stream was asked for",
    async (_, recording) => {
      const { turn } = await play(recording, pieceSize);
      const [choice] = JSON.parse(recording.bytes.toString("utf8")).choices;
      expect(turn?.message.content).toBe(choice.message.content ?? "");
      const calls = choice.message.tool_calls ?? [];
      expect(turn?.finish).toBe(calls.length > 0 ? "tool-calls" : "stop");
      expect(turn?.message.toolCalls.map(({ name, argumentsText }) => ({ name, arguments: argumentsText }))).toEqual(
        calls.map((call: { function: unknown }) => call.function),
      );
      expect(turn?.message.toolCalls.every((call) => call.id !== "")).toBe(true);
    },
  );
});

function byName(one: { name?: string }, other: { name?: string }): number {
  return (one.name ?? "").localeCompare(other.name ?? "");
}

interface Played {
  text: string;
  reasoning: string;
  turn?: Turn;
  error?: DuetError;
  /** The recorder's words for how it ended; an empty reply and one that was cut off are one error of ours. */
  outcomes: string[];
}

async function play(recording: Recording, pieceSize: number): Promise<Played> {
  const { wire, http, bytes } = recording;
  replay.serve({ ...http, body: bytes }, pieceSize);
  const baseUrl = wire === "anthropic-messages" ? replay.url : `${replay.url}/v1`;
  const model = createModel(settings({ wire, baseUrl }), { sleep: async () => {} });
  const events: ModelEvent[] = [];
  try {
    const keepLastAttempt = (event: ModelEvent): void => {
      // A retry begins again: only what the last attempt said counts.
      if (event.type === "notice" && event.code === "retry") events.length = 0;
      else events.push(event);
    };
    const turn = await model.stream(question, keepLastAttempt, new AbortController().signal);
    const { text, reasoning } = heard(events, turn);
    return { text, reasoning, turn, outcomes: [outcomes[turn.finish]] };
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    const text = textOf(events, "text-delta");
    const reasoning = textOf(events, "reasoning-delta");
    return { text, reasoning, error, outcomes: error.code === "bad_response" ? ["incomplete", "empty"] : ["error"] };
  }
}

const outcomes: Record<FinishReason, string> = {
  stop: "ok",
  "tool-calls": "ok",
  length: "length",
  refused: "refusal",
  "content-filter": "content_filter",
};

/** Our codes are fewer than the recorder's classes. */
const codes: Record<string, string> = { permission: "auth", not_found: "model_not_found" };

function toExpectedCall({ id, name, argumentsText, arguments: parsed }: Turn["message"]["toolCalls"][number]) {
  return { id, name, arguments: parsed ?? null, argumentsRaw: argumentsText };
}

function expectedCalls(calls: unknown): unknown[] {
  if (!Array.isArray(calls)) return [];
  return calls.map(({ id, name, argumentsRaw, arguments: parsed = parse(argumentsRaw) }) => ({
    // Where the provider sent none, it is ours to make up.
    id: id || expect.stringMatching(/^\w+$/),
    name,
    arguments: parsed,
    argumentsRaw,
  }));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return null;
  }
}

/** What the vendor told stands as it was told; what it did not tell is estimated, and marked as such. */
function expectUsage(got: Usage, told: unknown): void {
  const { inputTokens, outputTokens, outputTokensAll, reasoningTokens, cacheReadTokens } = isRecord(told) ? told : {};
  const output = outputTokensAll ?? outputTokens;
  expect(got.inputTokens).toSatisfy(inputTokens ? (tokens) => tokens === inputTokens : (tokens) => tokens > 0);
  if (output) expect(got.outputTokens).toBe(output);
  expect(got.reasoningTokens).toBe(reasoningTokens ?? 0);
  expect(got.cachedTokens).toBe(cacheReadTokens ?? 0);
  expect(got.estimated).toBe(inputTokens && output ? undefined : true);
}
