import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** Limits what is kept for streams that may be resumed, in characters of JSON. */
export interface EventLimits {
  ofSession: number;
  ofAll: number;
}

/** Leaves room for the progress of many calls, or one large result; a reader who waits may have as much waiting in the socket. */
export const eventLimits: EventLimits = { ofSession: 1_048_576, ofAll: 67_108_864 };

/** Counts what all sessions of a server keep. */
export interface EventBudget {
  readonly limits: EventLimits;
  used: number;
}

/**
 * Keeps what was sent on the streams of one session of the 2025 protocol, so that a client that has lost its connection gets the
 * rest: `Last-Event-ID` names the last event that it has. The oldest are dropped when there are too many, and everything of a
 * stream when its whole answer has been handed over.
 */
export interface EventLog extends EventStore {
  /** Keeps what belongs to no request from now on: somebody listens, and may come back. */
  keepStandalone(): void;
  /** Connects the stream that was begun last with its request. Returns false when the stream carries no ids. */
  assign(requestId: string | number): boolean;
  /** Returns the request of a stream whose event this is, and undefined for the stream of what belongs to no request. */
  findRequest(eventId: string): string | number | undefined;
  /** Returns true when everything that was sent after the event is kept. */
  canReplay(eventId: string): boolean;
  /** Returns true when another process has opened the stream of the event. */
  isForeign(eventId: string): boolean;
  /** Returns true when the answer to the request is among what was sent. */
  isAnswered(requestId: string | number): boolean;
  /** Forgets the stream of a request. */
  forget(requestId: string | number): void;
  /** Forgets everything. */
  close(): void;
}

interface StoredEvent {
  id: number;
  message: JSONRPCMessage;
  size: number;
}

interface EventStream {
  /** Is the stream's own id at the transport. */
  streamId: string;
  requestId?: string | number;
  isAnswered: boolean;
  events: StoredEvent[];
  /** Is the newest event that was dropped, and 0 when none was. */
  dropped: number;
}

/** The transport calls the stream of what belongs to no request so. */
const standalone = "_GET_stream";

/**
 * `firstStream` is before the number of the first stream where several processes serve the session, each with other numbers. It is absent
 * where only this one does.
 */
export function createEventLog(budget: EventBudget, firstStream?: number): EventLog {
  /** Holds the streams by the number that their events' ids begin with. */
  const streams = new Map<number, EventStream>();
  let numberOfStreams = firstStream ?? 0;
  let lastEvent = 0;
  let used = 0;
  let newest: number | undefined;

  function findNumber(streamId: string): number | undefined {
    for (const [number, stream] of streams) if (stream.streamId === streamId) return number;
    return undefined;
  }

  function openStream(streamId: string): number {
    numberOfStreams += 1;
    streams.set(numberOfStreams, { streamId, isAnswered: false, events: [], dropped: 0 });
    return numberOfStreams;
  }

  function count(size: number): void {
    used += size;
    budget.used += size;
  }

  function dropOldest(): void {
    while (used > budget.limits.ofSession || (budget.used > budget.limits.ofAll && used > 0)) {
      const filled = [...streams.values()].filter(({ events }) => events.length > 0);
      const [oldest] = filled.toSorted((one, other) => (one.events[0]?.id ?? 0) - (other.events[0]?.id ?? 0));
      const dropped = oldest?.events.shift();
      if (oldest === undefined || dropped === undefined) return;
      oldest.dropped = dropped.id;
      count(-dropped.size);
    }
  }

  function remove(number: number): void {
    for (const { size } of streams.get(number)?.events ?? []) count(-size);
    streams.delete(number);
  }

  function find(eventId: string): { stream: EventStream; event: number } | undefined {
    const { number, event } = readEventId(eventId) ?? {};
    const stream = number === undefined ? undefined : streams.get(number);
    return stream === undefined || event === undefined || event > lastEvent ? undefined : { stream, event };
  }

  function findOf(requestId: string | number): [number, EventStream] | undefined {
    return [...streams].find(([, stream]) => stream.requestId === requestId);
  }

  return {
    async storeEvent(streamId, message) {
      const isFirst = !("jsonrpc" in message);
      const known = findNumber(streamId);
      // A client of an older revision gets no first event, and so does not know that it may come back.
      if (known === undefined && !isFirst) return "";
      const number = known ?? openStream(streamId);
      lastEvent += 1;
      const id = `${number}-${lastEvent}`;
      if (isFirst) {
        newest = number;
        return id;
      }
      const stream = streams.get(number);
      if (stream === undefined) return id;
      if ("result" in message || "error" in message) stream.isAnswered = true;
      const size = JSON.stringify(message).length;
      stream.events.push({ id: lastEvent, message, size });
      count(size);
      dropOldest();
      return id;
    },
    async getStreamIdForEventId(eventId) {
      return find(eventId)?.stream.streamId;
    },
    async replayEventsAfter(eventId, { send }) {
      const found = find(eventId);
      if (found === undefined) throw new Error(`No event ${eventId}`);
      for (const { id, message } of [...found.stream.events])
        if (id > found.event) await send(`${findNumber(found.stream.streamId)}-${id}`, message);
      return found.stream.streamId;
    },
    keepStandalone() {
      if (findNumber(standalone) === undefined) openStream(standalone);
    },
    assign(requestId) {
      const stream = newest === undefined ? undefined : streams.get(newest);
      newest = undefined;
      if (stream === undefined) return false;
      stream.requestId = requestId;
      return true;
    },
    findRequest: (eventId) => find(eventId)?.stream.requestId,
    canReplay(eventId) {
      const found = find(eventId);
      return found !== undefined && found.event >= found.stream.dropped;
    },
    isForeign(eventId) {
      const number = readEventId(eventId)?.number;
      if (firstStream === undefined || number === undefined) return false;
      return number <= firstStream || number > numberOfStreams;
    },
    isAnswered: (requestId) => findOf(requestId)?.[1].isAnswered === true,
    forget(requestId) {
      const found = findOf(requestId);
      if (found !== undefined) remove(found[0]);
    },
    close() {
      for (const number of [...streams.keys()]) remove(number);
    },
  };
}

function readEventId(eventId: string): { number: number; event: number } | undefined {
  const [, number, event] = /^(\d{1,9})-(\d{1,15})$/.exec(eventId) ?? [];
  return number === undefined ? undefined : { number: Number(number), event: Number(event) };
}
