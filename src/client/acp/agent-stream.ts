import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isRecord, tryParseJson } from "../../kit/json.ts";
import type { Child } from "../../kit/process/child.ts";
import { messageLimit, valueLimit } from "../limits.ts";
import { LineSplitter } from "../transport/line-splitter.ts";
import { readFairly } from "../transport/stdio.ts";
import { type AgentRequest, createRequestGate } from "./request-gate.ts";

export interface AgentStreamOptions {
  /** Receives what an agent tells of a session, in order and before the response that follows it, with its length. Its form is not checked. */
  onUpdate(params: unknown, size: number): void;
  /** Is called for more requests at one time than any agent needs. */
  onTooMuch(): void;
  /** Is called for a message that is larger than any may be, after which nothing can be believed to be whole. */
  onTooLarge(): void;
}

/**
 * Speaks the Agent Client Protocol over the pipes of a child, within the limits that MCP servers have. What is no message counts as
 * its words. Only what the package can use reaches it, because it writes everything else to stderr.
 */
export function createAgentStream(child: Child, { onUpdate, onTooMuch, onTooLarge }: AgentStreamOptions): Stream {
  /** Holds the ids of our requests that have no response yet. */
  const asked = new Set<unknown>();
  let isClosed = false;
  let settle = (_id: unknown): void => {};
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const gate = createRequestGate({ send: (message) => !isClosed && controller.enqueue(message), onTooMuch });
      settle = gate.settle;
      const lines = new LineSplitter(
        { bytes: messageLimit, values: valueLimit },
        {
          line(text) {
            if (text.trim() === "") return;
            const message = readMessage(text);
            if (message === undefined) child.words.push(Buffer.from(`${text.slice(0, 2000)}\n`));
            // A program that takes no input may have said why.
            else if (isClosed) return;
            else if (isUpdate(message)) onUpdate(message.params, text.length);
            else if (isRequest(message)) gate.take(message, text.length);
            else if ("method" in message || asked.delete(message.id)) controller.enqueue(message);
          },
          tooLong: (part) => part === "head" && onTooLarge(),
        },
      );
      readFairly(child.stdout, (piece) => lines.push(piece));
      void child.ended.then(() => {
        if (!isClosed) controller.close();
        isClosed = true;
      });
    },
    cancel() {
      isClosed = true;
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write(message) {
      const { stdin } = child;
      if ("method" in message && "id" in message) asked.add(message.id);
      return new Promise((resolve, reject) => {
        stdin.write(`${JSON.stringify(message)}\n`, (error) => {
          if (!("method" in message)) settle(message.id);
          if (error) reject(error);
          else resolve();
        });
      });
    },
  });
  return { readable, writable };
}

function readMessage(text: string): AnyMessage | undefined {
  const value: unknown = text.trimStart().startsWith("{") ? tryParseJson(text) : undefined;
  return isMessage(value) ? value : undefined;
}

function isMessage(value: unknown): value is AnyMessage {
  if (!isRecord(value)) return false;
  if ("method" in value) return typeof value.method === "string" && (!("id" in value) || isId(value.id));
  return isId(value.id) && ("result" in value || isError(value.error));
}

function isError(error: unknown): boolean {
  return isRecord(error) && typeof error.code === "number" && typeof error.message === "string";
}

function isId(id: unknown): boolean {
  return typeof id === "string" || typeof id === "number" || id === null;
}

function isRequest(message: AnyMessage): message is AgentRequest {
  return "method" in message && "id" in message;
}

function isUpdate(message: AnyMessage): message is Extract<AnyMessage, { method: string }> {
  return "method" in message && message.method === "session/update" && !("id" in message);
}
