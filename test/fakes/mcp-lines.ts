// What the MCP servers that are written by hand share: messages as lines over stdio, and a journal for the test.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

export type Json = Record<string, unknown>;

/** A request, a notification, or the answer to a question of the server's own. */
export interface Message {
  id?: number | string;
  method?: string;
  params?: { name?: string; uri?: string; level?: string; arguments?: Json; _meta?: Json };
  result?: Json;
}

/** Writes entries to a file that `readJournal` reads; nowhere when there is none. */
export function journalIn(file: string | undefined): (entry: Json) => void {
  return (entry) => {
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(entry)}\n`);
  };
}

export function send(message: Json): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Hands over each message that comes, and journals it. */
export function serveLines(journal: (entry: Json) => void, take: (message: Message) => unknown): void {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message: Message = JSON.parse(line);
    journal({ method: message.method, params: message.params });
    take(message);
  });
}

/** Answers a request; without a result it is one that the server does not know. */
export function answer({ id, method }: Message, result: unknown): void {
  send(result === undefined ? { id, error: { code: -32601, message: `No method ${method}` } } : { id, result });
}
