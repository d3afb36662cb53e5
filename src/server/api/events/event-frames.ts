import type { AgentEvent } from "../../../core/run/events.ts";
import { toSafeJson } from "../../../kit/text/sanitize.ts";

/** Holds some events of a run in the form that is sent. */
export interface Frames {
  readonly text: string;
  /** Is the index of the first event after these. */
  readonly to: number;
}

/** Returns a run's events from an index on, as many as fit into one piece. */
export type TakeFrames = (events: readonly AgentEvent[], from: number) => Frames;

/** Ends a piece after the event with which it exceeds this length, in UTF-16 units. */
const pieceLength = 65_536;

/** Readers of an active run take the same pieces one after the other, so each piece is made once. */
export function createFrames(): TakeFrames {
  const newest = new WeakMap<readonly AgentEvent[], Frames & { from: number }>();
  return (events, from) => {
    const known = newest.get(events);
    if (known?.from === from && known.to === events.length) return known;
    let text = "";
    let to = from;
    for (let event = events[to]; event !== undefined && text.length <= pieceLength; event = events[to]) {
      to += 1;
      text += toEventFrame(event.type, event, to);
    }
    const made = { from, to, text };
    newest.set(events, made);
    return made;
  };
}

/**
 * Renders one event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). JSON contains no line breaks
 * of its own.
 */
export function toEventFrame(type: string, data: object, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${type}\ndata: ${toSafeJson(data)}\n\n`;
}

/** Renders an event whose type stands in its data, too. */
export function toTypedFrame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return toEventFrame(event.type, event);
}
