import { isRecord, toText } from "../../../kit/json.ts";
import type { Messages } from "./message-types.ts";

export interface MessageHandlers {
  notification(method: string, params: Record<string, unknown>): void;
  /** Answers a request of the host; undefined for a method that is not known. */
  request(method: string): object | undefined;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
  done(): void;
}

/** Takes messages of the window around the page alone. */
export function openMessages(window: Window, handlers: MessageHandlers): Messages {
  const host = window.parent;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;

  // A sandboxed page cannot know its host's origin; it is told nothing that the host does not know already.
  const send = (message: object): void => host.postMessage({ jsonrpc: "2.0", ...message }, "*");

  const settle = (message: Record<string, unknown>): void => {
    if (typeof message.id !== "number") return;
    const waits = waiting.get(message.id);
    if (waits === undefined) return;
    waiting.delete(message.id);
    waits.done();
    if (isRecord(message.error)) waits.reject(new Error(toText(message.error.message) || "error"));
    else waits.resolve(message.result);
  };

  const answer = (id: unknown, method: string): void => {
    const result = handlers.request(method);
    const error = { code: -32601, message: `Method not found: ${method}` };
    send(result === undefined ? { id, error } : { id, result });
  };

  window.addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
    if (source !== host || !isRecord(data) || data.jsonrpc !== "2.0") return;
    if (typeof data.method !== "string") return settle(data);
    if (data.id !== undefined) return answer(data.id, data.method);
    handlers.notification(data.method, isRecord(data.params) ? data.params : {});
  });

  return {
    notify: (method, params) => send({ method, params }),
    request(method, params, { timeoutMs, signal }) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const stop = (reason: string): void => {
          if (!waiting.delete(id)) return;
          done();
          send({ method: "notifications/cancelled", params: { requestId: id, reason } });
          reject(new Error(reason));
        };
        const abort = (): void => stop("aborted");
        const timer = setTimeout(() => stop("timed out"), timeoutMs);
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
        };
        waiting.set(id, { resolve, reject, done });
        signal?.addEventListener("abort", abort, { once: true });
        send({ id, method, params });
      });
    },
  };
}
