import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

/** The requests of a host that wait for an answer. */
export interface OpenRequests {
  /** Resolves when each is answered, or when the signal aborts. */
  settled(signal: AbortSignal): Promise<void>;
}

/** Follows what goes through a transport that is already connected. */
export function followRequests(transport: Transport): OpenRequests {
  const open = new Set<string | number>();
  const waiting = new Set<() => void>();
  function close(id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    open.delete(id);
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  }
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if ("method" in message && "id" in message) open.add(message.id);
    // A request that is cancelled gets no answer.
    else if (isCancel(message)) close(message.params?.requestId);
    onmessage?.call(transport, message, extra);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const sent = send(message, options);
    if (!("method" in message)) close(message.id);
    await sent;
  };
  return {
    settled: (signal) =>
      new Promise((resolve) => {
        if (open.size === 0 || signal.aborted) return resolve();
        waiting.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
}

function isCancel(message: JSONRPCMessage): message is JSONRPCMessage & { params?: Record<string, unknown> } {
  return "method" in message && message.method === "notifications/cancelled";
}
