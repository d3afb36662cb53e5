import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FinishReason, ModelEvent, Turn } from "../../src/core/model/model.ts";
import { type ModelSettings, type WireName, wires } from "../../src/core/model/model-settings.ts";
import { isRecord } from "../../src/kit/json.ts";
import { MessageReader } from "../../src/providers/wires/anthropic-messages/stream.ts";
import { ChatReader } from "../../src/providers/wires/openai-chat/stream.ts";
import { ResponseReader } from "../../src/providers/wires/openai-responses/stream.ts";
import { createEventReader } from "../../src/providers/wires/server-events.ts";
import type { ServerEvent, TurnReader } from "../../src/providers/wires/turn-reader.ts";
import { settings } from "./reading.ts";
import { madeStreams } from "./recordings-made.ts";

/** What a provider once sent, or might, and what is to be read from it. */
export interface Recording {
  name: string;
  /** The oddity that it is there for. */
  shows: string;
  /** A stream, a whole JSON answer where a stream was asked for, or an error status. */
  kind: "stream" | "json" | "http-error";
  wire: WireName;
  http: { status: number; headers: Record<string, string> };
  expected: Record<string, unknown>;
  bytes: Buffer;
}

/** The project's own recordings; `README.md` beside them says what each is there for. */
export const ownFolder = join(import.meta.dirname, "../fixtures/recordings");

/** A further folder of recordings in the same format, which are read in an additional run; without it only our own are. */
export const sharedFolder = process.env.DUET_RECORDINGS;

export function allRecordings(): Recording[] {
  return [...recordingsIn(ownFolder), ...madeStreams, ...sharedRecordings()];
}

/** Each has the name of the one of our own that shows the same, hence the prefix. */
export function sharedRecordings(): Recording[] {
  if (!sharedFolder) return [];
  return recordingsIn(sharedFolder).map((recording) => ({ ...recording, name: `shared/${recording.name}` }));
}

export function recordingsIn(folder: string): Recording[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json") && !name.endsWith(".body.json"))
    .map((name) => toRecording(JSON.parse(readFileSync(join(folder, name), "utf8")), folder));
}

function toRecording(value: unknown, folder: string): Recording {
  if (!isRecord(value) || !isRecord(value.http) || !isRecord(value.expected))
    throw new Error(`No recording: ${folder}`);
  const kind = (["stream", "json", "http-error"] as const).find((each) => each === value.kind);
  const wire = wires.find((each) => each === value.wire);
  if (!kind || !wire) throw new Error(`${value.name} has an unknown kind or wire.`);
  return {
    name: String(value.name),
    shows: String(value.shows),
    kind,
    wire,
    http: { status: Number(value.http.status), headers: headersOf(value.http.headers) },
    expected: value.expected,
    bytes: readFileSync(join(folder, String(value.file))),
  };
}

/** Without those that describe the recorder's connection. */
function headersOf(headers: unknown): Record<string, string> {
  if (!isRecord(headers)) return {};
  const ofTheConnection = ["content-length", "content-encoding", "transfer-encoding", "connection"];
  const kept = Object.entries(headers).filter(([name]) => !ofTheConnection.includes(name.toLowerCase()));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

const readers: Record<WireName, new (settings: ModelSettings, newId: () => string) => TurnReader> = {
  "openai-chat": ChatReader,
  "openai-responses": ResponseReader,
  "anthropic-messages": MessageReader,
};

/** Reads bytes as a call does, without a socket. Throws what the call would throw. */
export function readTurn(wire: WireName, pieces: Iterable<Buffer>, out: ModelEvent[] = []): Turn {
  return turnOf(wire, eventsOf(pieces), out);
}

/** The first half of reading: from bytes to events. */
export function eventsOf(pieces: Iterable<Buffer>): ServerEvent[] {
  const reader = createEventReader(origin);
  const events: ServerEvent[] = [];
  for (const piece of pieces) events.push(...reader.feed(piece));
  return [...events, ...reader.finish()];
}

/** The second half: from events to a turn. */
export function turnOf(wire: WireName, events: readonly ServerEvent[], out: ModelEvent[] = []): Turn {
  const reader = new readers[wire](origin, () => "made-up");
  for (const event of events) if (!reader.done) reader.read(event, out);
  return reader.finishTurn();
}

const origin = settings();

export function isComplete(finish: FinishReason): boolean {
  return finish === "stop" || finish === "tool-calls";
}
