import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { isRecord } from "../../src/kit/json.ts";
import { createMemory, type Memory } from "./provider-memory.ts";
import { responsePieces } from "./provider-responses.ts";
import { checkChatRequest, checkMessagesRequest, type Refusal } from "./provider-rules.ts";
import { checkFiles } from "./provider-rules-files.ts";
import { checkOptions } from "./provider-rules-options.ts";
import { checkReasoning } from "./provider-rules-reasoning.ts";
import { checkResponsesRequest } from "./provider-rules-responses.ts";
import { chatPieces, messagePieces, type Piece, rawPiece } from "./provider-wires.ts";

export interface FakeTurn {
  text?: string;
  reasoning?: string;
  /** An opaque block before the reasoning (Anthropic). */
  redacted?: string;
  /** Of the reasoning (Anthropic) or of the first call (Gemini); made up where the vendor would sign. */
  signature?: string;
  /** Arguments that are a string are sent as they are. */
  toolCalls?: { id?: string; name: string; arguments: unknown }[];
  /** In the wire's own words. */
  finish?: string;
  /** Any number, however absurd; `null`: none is told. */
  usage?: { input?: number; output?: number; cached?: number } | null;
  /** The data of the events to send instead of the wire's own; texts as they are, anything else as JSON. */
  raw?: unknown[];
  /** Characters of a delta; 8. */
  chunkSize?: number;
  /** Between deltas, in milliseconds; 0. */
  delayMs?: number;
  /** Keeps the socket open and sends nothing more. */
  hang?: "before-headers" | "after-headers" | "after-text";
  /** On OpenAI's chat wire: what follows the reasoning waits until this is fulfilled. */
  thinkUntil?: Promise<unknown>;
  /** Only for `hang: "after-text"`: the rest follows once this is fulfilled. */
  until?: Promise<unknown>;
  /** Ends the body early, and cleanly. */
  cut?: "before-finish" | "in-tool-call";
  /** Answers with this status and `body` instead of a stream. */
  status?: number;
  body?: string;
  headers?: Record<string, string>;
}

export type Reply = FakeTurn | ((request: JournalEntry) => FakeTurn);

export interface JournalEntry {
  wire: "openai-chat" | "openai-responses" | "anthropic-messages";
  path: string;
  model: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  /** Milliseconds since the epoch. */
  at: number;
  endedAt?: number;
  /** The client left before the end. */
  aborted: boolean;
}

export interface FakeProvider {
  url: string;
  openaiUrl: string;
  anthropicUrl: string;
  /** Queues replies for a model; each request takes the next one. */
  script(model: string, ...replies: Reply[]): void;
  journal: JournalEntry[];
  requests(model: string): JournalEntry[];
  /** The models whose replies were not all used, each with how many are left: `gpt-x (2)`. */
  unused(): string[];
  close(): Promise<void>;
}

/** A language model provider on 127.0.0.1 that speaks all wires and refuses what the vendors refuse. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const scripts = new Map<string, Reply[]>();
  const journal: JournalEntry[] = [];
  const memory = createMemory();
  const stop = new AbortController();
  // Vendors keep connections for minutes. Node's 5 s pass while a busy test reads nothing, and the next request is reset.
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    answer(request, response, { scripts, journal, memory, stop: stop.signal }).catch(() => response.destroy());
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    openaiUrl: `${url}/v1`,
    anthropicUrl: url,
    script: (model, ...replies) => scripts.set(model, [...(scripts.get(model) ?? []), ...replies]),
    journal,
    requests: (model) => journal.filter((entry) => entry.model === model),
    unused: () =>
      [...scripts].filter(([, left]) => left.length > 0).map(([model, left]) => `${model} (${left.length})`),
    async close() {
      stop.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface ProviderState {
  scripts: Map<string, Reply[]>;
  journal: JournalEntry[];
  memory: Memory;
  stop: AbortSignal;
}

async function answer(request: IncomingMessage, response: ServerResponse, state: ProviderState): Promise<void> {
  const path = request.url ?? "";
  if (request.method === "GET" && path === "/v1/models") return sendModels(response, [...state.scripts.keys()]);
  const wire = paths[path];
  if (request.method !== "POST" || !wire) return sendJson(response, 404, { error: { message: `No route ${path}` } });
  const entry = await record(request, wire, path);
  state.journal.push(entry);
  response.on("close", () => {
    entry.endedAt = Date.now();
    entry.aborted = !response.writableFinished;
  });
  const refusal =
    checks[wire](entry) ?? checkFiles(entry) ?? checkOptions(entry) ?? checkReasoning(entry, state.memory.sent);
  if (refusal) return sendError(response, wire, refusal);
  const reply = state.scripts.get(entry.model)?.shift();
  if (!reply) return sendError(response, wire, unscripted(entry.model));
  const turn = state.memory.sign(typeof reply === "function" ? reply(entry) : reply, entry);
  await play(turn, entry, response, state.stop);
}

async function play(turn: FakeTurn, entry: JournalEntry, response: ServerResponse, stop: AbortSignal): Promise<void> {
  if (turn.hang === "before-headers") return;
  if (turn.status !== undefined) {
    response.writeHead(turn.status, { "content-type": "application/json", ...turn.headers });
    return void response.end(turn.body ?? "");
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...turn.headers });
  response.flushHeaders();
  if (turn.hang === "after-headers") return;
  for (const piece of turn.raw?.map(rawPiece) ?? pieces[entry.wire](turn, entry)) {
    if (response.destroyed || stop.aborted) return;
    if (piece.mark === "hang" && !turn.until) return;
    if (piece.mark === "hang") await turn.until;
    if (piece.mark === "thought") await turn.thinkUntil;
    if (piece.mark === "cut") break;
    response.write(piece.text);
    if (turn.delayMs && piece.mark === "delta") await pause(turn.delayMs, undefined, { signal: stop });
  }
  response.end();
}

async function record(request: IncomingMessage, wire: JournalEntry["wire"], path: string): Promise<JournalEntry> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8") || "null");
  const body = isRecord(parsed) ? parsed : {};
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
  const model = typeof body.model === "string" ? body.model : "";
  return { wire, path, model, headers, body, at: Date.now(), aborted: false };
}

const paths: Readonly<Record<string, JournalEntry["wire"]>> = {
  "/v1/chat/completions": "openai-chat",
  "/v1/responses": "openai-responses",
  "/v1/messages": "anthropic-messages",
};

const checks: Record<JournalEntry["wire"], (entry: JournalEntry) => Refusal | undefined> = {
  "openai-chat": checkChatRequest,
  "openai-responses": checkResponsesRequest,
  "anthropic-messages": checkMessagesRequest,
};

const pieces: Record<JournalEntry["wire"], (turn: FakeTurn, entry: JournalEntry) => Iterable<Piece>> = {
  "openai-chat": chatPieces,
  "openai-responses": responsePieces,
  "anthropic-messages": messagePieces,
};

function unscripted(model: string): Refusal {
  return {
    status: 500,
    type: "fake_provider",
    message: `The fake provider has no reply scripted for model "${model}".`,
  };
}

function sendError(response: ServerResponse, wire: JournalEntry["wire"], refusal: Refusal): void {
  const { status, type, message, code = null, param = null } = refusal;
  const anthropic = { type: "error", error: { type, message } };
  const openai = { error: { message, type, param, code } };
  sendJson(response, status, refusal.body ?? (wire === "anthropic-messages" ? anthropic : openai));
}

function sendModels(response: ServerResponse, models: string[]): void {
  sendJson(response, 200, { object: "list", data: models.map((id) => ({ id, object: "model" })) });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
  response.end(JSON.stringify(body));
}
