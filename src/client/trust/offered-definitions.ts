import { randomUUID } from "node:crypto";
import { isRunning } from "../../kit/process/is-running.ts";
import { isSameTool } from "./check-pins.ts";
import type { OfferedDefinition, ServerPins, WaitingTool } from "./pins.ts";

/** Limits what is kept of a server, in definitions. The newest stay. */
const mostOffered = 200;

/** Names a process and what offers there, so that nobody takes the definitions of another for its own. */
export function createOwner(): string {
  // The global `crypto` would make Node load web cryptography.
  return `${process.pid}.${randomUUID()}`;
}

/**
 * Returns what waits for approval in all running processes: of this one what waits in it now. Returns the same list when
 * nothing has changed.
 */
export function replaceOffered(
  pins: ServerPins,
  waiting: readonly WaitingTool[],
  owner: string,
): ServerPins["offered"] {
  const before = pins.offered ?? [];
  const others = before.filter((each) => each.owner !== owner && isFromRunning(each) && !isPinned(pins, each));
  const own = waiting.map(({ list, tool }): OfferedDefinition => ({ owner, ...(list && { list }), tool }));
  const next = [...others, ...own].slice(-mostOffered);
  const isSameList = next.length === before.length && next.every((each, index) => isSame(each, before[index]));
  return isSameList ? pins.offered : next;
}

/** Returns what waits in other running processes, and not in this one. */
export function listOfferedElsewhere(
  pins: ServerPins | undefined,
  waiting: readonly WaitingTool[],
  owner: string,
): WaitingTool[] {
  const found: WaitingTool[] = [];
  for (const offered of pins?.offered ?? []) {
    if (pins === undefined || offered.owner === owner || !isFromRunning(offered) || isPinned(pins, offered)) continue;
    const isKnown = [...waiting, ...found].some(
      (each) => each.list === offered.list && isSameTool(each.tool, offered.tool),
    );
    if (isKnown) continue;
    const { list, tool } = offered;
    const pinned = listPinned(pins, list).find(({ name }) => name === tool.name);
    found.push({ ...(list && { list }), kind: pinned ? "changed" : "new", tool, ...(pinned && { pinned }) });
  }
  return found;
}

export function listPinned(pins: ServerPins, list: OfferedDefinition["list"]): ServerPins["tools"] {
  return list === undefined ? pins.tools : (pins.texts?.[list] ?? []);
}

function isPinned(pins: ServerPins, { list, tool }: OfferedDefinition): boolean {
  return listPinned(pins, list).some((pinned) => pinned.name === tool.name && isSameTool(pinned, tool));
}

function isFromRunning({ owner }: OfferedDefinition): boolean {
  const pid = Number.parseInt(owner, 10);
  return Number.isInteger(pid) && pid > 0 && isRunning(pid);
}

function isSame(one: OfferedDefinition, other: OfferedDefinition | undefined): boolean {
  return (
    other !== undefined && one.owner === other.owner && one.list === other.list && isSameTool(one.tool, other.tool)
  );
}
