import type { AgentEvent } from "../../core/events.ts";
import { toSafeJson } from "../../kit/text/sanitize.ts";

/** Some events of a run as they go over the wire. */
export interface Frames {
  readonly text: string;
  /** The index of the first event after them. */
  readonly to: number;
}

/** Gives a run's events from an index on, as many as fit into one piece. */
export type TakeFrames = (events: readonly AgentEvent[], from: number) => Frames;

/** A piece ends after the event with which it is longer than this, in UTF-16 units. */
const pieceLength = 65_536;

/** Those who read a run as it goes on take the same piece one after the other: it is made once. */
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

/** One event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html); JSON has no line ends of its own. */
export function toEventFrame(type: string, data: object, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${type}\ndata: ${toSafeJson(data)}\n\n`;
}
