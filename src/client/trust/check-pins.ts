import { isRecord } from "../../kit/json.ts";
import { listLimits } from "../limits.ts";
import type { RemoteTool } from "../lists/listing.ts";
import type { ServerPins, WaitingTool } from "./pins.ts";

export interface PinCheckOptions {
  /** Identifies the server as it is configured now. Pins with another origin do not apply. */
  origin: string;
  /** Decides about a tool that a known server has not offered before. */
  newTools: "stop" | "allow";
  /** Is true when pins exist but cannot be read. The server then counts as known, without any record of what was approved. */
  isDamaged?: boolean;
}

export interface PinCheck {
  /** Lists the tools in the order of the server's list. */
  usable: RemoteTool[];
  waiting: WaitingTool[];
  /** Holds the pins from now on. It is the same object when nothing has to be stored. */
  pins: ServerPins;
}

/**
 * Says which tools of a list may be used. What a server offers first is trusted and pinned; later a tool that differs in
 * anything a model or a host would see waits until somebody approves it, and a new one does as `newTools` says. A tool that
 * is gone stays pinned: it may come back as it was. Takes the list as the server gave it, hidden characters and all.
 */
export function checkPins(
  pins: ServerPins | undefined,
  listed: readonly RemoteTool[],
  options: PinCheckOptions,
): PinCheck {
  const { origin, newTools } = options;
  const known = new Map((pins?.origin === origin ? pins.tools : []).map((tool) => [tool.name, tool]));
  // A server that had nothing to offer yet, because nobody had signed in, has not been met.
  const isFirstUse = known.size === 0 && options.isDamaged !== true;
  const usable: RemoteTool[] = [];
  const waiting: WaitingTool[] = [];
  const added: RemoteTool[] = [];
  for (const tool of removeRepeatedNames(listed)) {
    const pinned = known.get(tool.name);
    if (pinned === undefined && (isFirstUse || (newTools === "allow" && options.isDamaged !== true))) {
      added.push(tool);
      usable.push(tool);
    } else if (pinned === undefined) waiting.push({ kind: "new", tool });
    else if (isSameTool(pinned, tool)) usable.push(tool);
    else waiting.push({ kind: "changed", tool, pinned });
  }
  if (pins?.origin === origin && added.length === 0) return { usable, waiting, pins };
  const era = pins?.origin === origin ? pins.era : undefined;
  const tools = sortPins(listed, known, added);
  const approved = pins?.origin === origin ? listStillPinned(pins, tools) : undefined;
  const others = pins?.origin === origin ? pins : undefined;
  return { usable, waiting, pins: { ...others, origin, era, tools, ...(approved && { approved }) } };
}

/**
 * Returns the pins after the tools of these names are approved in the version in `waiting`, which is what the person has seen.
 * Returns the same object when none of these tools waits.
 */
export function approvePins(pins: ServerPins, waiting: readonly WaitingTool[], names: readonly string[]): ServerPins {
  const wanted = new Set(names);
  const approved = new Map(waiting.flatMap(({ tool }) => (wanted.has(tool.name) ? [[tool.name, tool]] : [])));
  if (approved.size === 0) return pins;
  const known = new Set(pins.tools.map(({ name }) => name));
  const added = [...approved.values()].filter(({ name }) => !known.has(name));
  const tools = [...pins.tools.map((tool) => approved.get(tool.name) ?? tool), ...added];
  return { ...pins, tools, approved: [...new Set([...(pins.approved ?? []), ...approved.keys()])] };
}

/** Returns the pins after these texts of prompts and resources are approved, as the person has seen them. */
export function approveTexts(pins: ServerPins, waiting: readonly WaitingTool[]): ServerPins {
  const texts = { ...pins.texts };
  for (const { list, tool } of waiting) {
    if (list === undefined) continue;
    texts[list] = [...(texts[list] ?? []).filter(({ name }) => name !== tool.name), tool];
  }
  return waiting.length === 0 ? pins : { ...pins, texts };
}

/** Keeps the approvals whose definition is still pinned. A name alone is no approval. */
function listStillPinned({ approved }: ServerPins, tools: readonly RemoteTool[]): string[] | undefined {
  return approved?.filter((name) => tools.some((tool) => tool.name === name));
}

function removeRepeatedNames(listed: readonly RemoteTool[]): RemoteTool[] {
  const first = new Map<string, RemoteTool>();
  for (const tool of listed) if (!first.has(tool.name)) first.set(tool.name, tool);
  return [...first.values()];
}

/**
 * Orders the pins as the server does, followed by removed tools. The list is bounded, so that a server that keeps renaming its
 * tools does not make it grow without limit.
 */
function sortPins(
  listed: readonly RemoteTool[],
  known: ReadonlyMap<string, RemoteTool>,
  added: readonly RemoteTool[],
): RemoteTool[] {
  const all = new Map([...known, ...added.map((tool) => [tool.name, tool] as const)]);
  const present = removeRepeatedNames(listed).flatMap(({ name }) => all.get(name) ?? []);
  const names = new Set(listed.map(({ name }) => name));
  const gone = [...known.values()].filter(({ name }) => !names.has(name)).slice(0, listLimits.tools);
  let left = listLimits.bytes;
  const kept = gone.filter((tool) => {
    left -= JSON.stringify(tool).length;
    return left >= 0;
  });
  return [...present, ...kept];
}

/** Limits the depth of the comparison. No stored schema is deeper, and what is deeper counts as different. */
const deepest = 200;

/** Returns true when a model and a host would see the same in both. The order of keys does not matter. */
export function isSameTool(one: RemoteTool, other: RemoteTool): boolean {
  return isSame(one, other, deepest);
}

/** A key whose value is undefined counts as absent because it is not written to the file. */
function isSame(one: unknown, other: unknown, levels: number): boolean {
  if (one === other) return true;
  if (levels === 0) return false;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index], levels - 1));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  let more = 0;
  for (const key of Object.keys(one)) {
    if (one[key] === undefined) continue;
    if (!Object.hasOwn(other, key) || !isSame(one[key], other[key], levels - 1)) return false;
    more += 1;
  }
  for (const key of Object.keys(other)) if (other[key] !== undefined) more -= 1;
  return more === 0;
}
