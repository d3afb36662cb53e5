import type { AnyMessage } from "@agentclientprotocol/sdk";

export type AgentRequest = Extract<AnyMessage, { id: unknown; method: string }>;

/** Keeps the requests of an agent, and the answers to them, in bounded memory. */
export interface RequestGate {
  /** Hands on a request of the agent, at once or when its turn comes. `size` is its length. */
  take(message: AgentRequest, size: number): void;
  /** Says that the answer to a request has been written. */
  settle(id: unknown): void;
}

export interface RequestGateOptions {
  send(message: AnyMessage): void;
  /** Is called where more is under way than any agent needs, and at each further request. */
  onTooMuch(): void;
}

/** Limits the requests that are under way until their answers are written, and their length together. */
const most = { requests: 1000, size: 20_000_000 };

/** Limits the requests under way whose answers may be large: an agent that does not read would have us hold them all. */
const mostLarge = 4;
const large: ReadonlySet<string> = new Set(["fs/read_text_file", "terminal/output"]);

export function createRequestGate({ send, onTooMuch }: RequestGateOptions): RequestGate {
  const underWay = new Map<unknown, { size: number; isLarge: boolean }>();
  const waiting: AnyMessage[] = [];
  let size = 0;
  let largeUnderWay = 0;

  function sendLarge(message: AnyMessage): void {
    largeUnderWay += 1;
    send(message);
  }

  return {
    take(message, length) {
      const isTooMuch = underWay.size >= most.requests || size + length > most.size;
      // An id names one request at a time.
      if (isTooMuch || underWay.has(message.id)) {
        onTooMuch();
        return;
      }
      const isLarge = large.has(message.method);
      underWay.set(message.id, { size: length, isLarge });
      size += length;
      if (!isLarge) send(message);
      else if (largeUnderWay < mostLarge) sendLarge(message);
      else waiting.push(message);
    },
    settle(id) {
      const known = underWay.get(id);
      if (known === undefined) return;
      underWay.delete(id);
      size -= known.size;
      if (!known.isLarge) return;
      largeUnderWay -= 1;
      const next = waiting.shift();
      if (next !== undefined) sendLarge(next);
    },
  };
}
