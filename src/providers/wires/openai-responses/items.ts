import type { TextPhase } from "../../../core/model/messages.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import { type CollectedCall, ToolFragments } from "../tool-fragments.ts";
import { isItem, type OutputItem } from "./request.ts";

type Fields = Record<string, unknown>;

/** Represents an output item while its events arrive. */
export interface OpenItem {
  type: string;
  /** Is true when deltas brought some of the item's text, so that the whole item adds nothing. */
  heard: boolean;
  /** Is true once some of its text was said. */
  said: boolean;
  id: string;
  callId: string;
  name: string;
  arguments: string[];
  /** Is what the server calls the text of a message. */
  phase: TextPhase | undefined;
  /** Holds the item from `response.output_item.done`, the only form that may be sent back. */
  whole?: OutputItem;
}

/** Puts the output items of one response together, in the order in which they began. */
export class OutputItems {
  #items: OpenItem[] = [];
  #latest = new Map<string, OpenItem>();

  get empty(): boolean {
    return this.#items.length === 0;
  }

  /** Takes `response.output_item.added`. */
  open(event: Fields): void {
    if (!isItem(event.item)) return;
    const held = this.#latest.get(getPlace(event));
    if (held && isSame(held, event.item) && !held.whole) return;
    this.#add(getPlace(event), event.item);
  }

  /** Returns the item that a delta belongs to, and opens it when the server did not announce it. */
  of(event: Fields, type: string): OpenItem {
    const place = getPlace(event);
    const held = this.#latest.get(place);
    return held?.type === type ? held : this.#add(place, { type, id: event.item_id });
  }

  /** Takes `response.function_call_arguments.done`. */
  setArguments(event: Fields): void {
    const text = toArguments(event.arguments);
    if (text !== "") this.of(event, "function_call").arguments = [text];
  }

  /** Takes `response.output_item.done`. Returns the item, or undefined for one that was complete before. */
  close(event: Fields): OpenItem | undefined {
    if (!isItem(event.item)) return undefined;
    const held = this.#latest.get(getPlace(event));
    const same = held !== undefined && isSame(held, event.item);
    if (same && held.whole) return undefined;
    const item = same ? held : this.#add(getPlace(event), event.item);
    item.whole = event.item;
    item.phase ??= toPhase(event.item.phase);
    return item;
  }

  /** Takes the output of the whole response: what no event reported. Returns the items that are new. */
  closeAll(output: unknown): OpenItem[] {
    const items = Array.isArray(output) ? output.filter(isItem) : [];
    if (this.empty) return items.flatMap((item, position) => this.close({ item, output_index: position }) ?? []);
    // A call that no event reported is a call all the same.
    const reported = this.#items.filter(({ type }) => type === "function_call").length;
    const calls = items.filter(({ type }) => type === "function_call");
    if (reported === 0 && calls.length > 0) return calls.map((item, position) => this.#closeUnreported(item, position));
    if (items.length === this.#items.length) {
      this.#items.forEach((held, position) => {
        const item = items[position];
        if (item && isSame(held, item)) held.whole ??= item;
      });
    }
    return [];
  }

  /** Returns all items as they must be sent back, or undefined when one of them did not arrive whole. */
  whole(): OutputItem[] | undefined {
    const items = this.#items.flatMap((item) => item.whole ?? []);
    return items.length > 0 && items.length === this.#items.length ? items : undefined;
  }

  /** Is the phase of the last message. */
  get phase(): TextPhase | undefined {
    return this.#items.findLast(({ type }) => type === "message")?.phase;
  }

  calls(newId: () => string): CollectedCall[] {
    const fragments = new ToolFragments();
    const calls = this.#items.filter((item) => item.type === "function_call");
    calls.forEach(({ whole, callId, name, arguments: pieces }, index) => {
      fragments.add([
        {
          index,
          id: toText(whole?.call_id) || callId,
          name: toText(whole?.name) || name,
          arguments: toArguments(whole?.arguments) || pieces.join(""),
        },
      ]);
    });
    return fragments.calls(newId);
  }

  #closeUnreported(item: OutputItem, position: number): OpenItem {
    const opened = this.#add(`untold ${position}`, item);
    opened.whole = item;
    return opened;
  }

  #add(place: string, item: Fields): OpenItem {
    const opened: OpenItem = {
      type: toText(item.type),
      heard: false,
      said: false,
      id: toText(item.id),
      callId: toText(item.call_id),
      name: toText(item.name),
      arguments: [toArguments(item.arguments)],
      phase: toPhase(item.phase),
    };
    this.#items.push(opened);
    this.#latest.set(place, opened);
    return opened;
  }
}

/**
 * Returns the key of the item that an event belongs to. Some proxies change the ids from event to event, others send no index.
 */
function getPlace(event: Fields): string {
  if (typeof event.output_index === "number") return `${event.output_index}`;
  return toText(event.item_id) || (isRecord(event.item) ? toText(event.item.id) : "");
}

function isSame(held: OpenItem, item: OutputItem): boolean {
  if (held.type !== item.type) return false;
  const callId = toText(item.call_id);
  if (held.callId && callId) return held.callId === callId;
  return !held.whole || held.id === toText(item.id);
}

/** Ignores words that the wire does not know, or does not know yet. */
function toPhase(value: unknown): TextPhase | undefined {
  return value === "commentary" || value === "final_answer" ? value : undefined;
}

function toArguments(value: unknown): string {
  return isRecord(value) ? JSON.stringify(value) : toText(value);
}
