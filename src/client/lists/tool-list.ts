import type { ServerSettings } from "../../config/config.ts";
import type { HostToolFields } from "../../core/tools/tool.ts";
import { createLazy } from "../../kit/create-lazy.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { isMatch } from "../../kit/text/match-pattern.ts";
import type { Era } from "../lifecycle/handshake.ts";
import { approvePins, approveTexts, checkPins, isSameTool } from "../trust/check-pins.ts";
import { type Entry, toTexts, withTexts } from "../trust/entry-texts.ts";
import { makeToolVisible, makeTreeVisible } from "../trust/hidden-characters.ts";
import { createOwner, listOfferedElsewhere, listPinned, replaceOffered } from "../trust/offered-definitions.ts";
import type { PinStore } from "../trust/pin-store.ts";
import type { ServerPins, TextList, WaitingTool } from "../trust/pins.ts";
import { toServerOrigin } from "../trust/server-origin.ts";
import { createWarnings, type OtherTool } from "../trust/tool-warnings.ts";
import { findKnownFields, toLastListing } from "./last-listing.ts";
import type { Listing, RemoteTool } from "./listing.ts";

/** Holds the tools of one server: as listed, as approved, and as the configuration selects them. */
export interface ToolList {
  /** Lists the usable tools in the server's order; the object of a tool stays the same while the tool is unchanged. */
  readonly usable: readonly RemoteTool[];
  readonly waiting: readonly WaitingTool[];
  /** Lists texts of prompts and resources that wait, and what waits in other processes. */
  readonly waitingBesides: readonly WaitingTool[];
  /** Lists the tools of `usable` that were trusted at first use: nobody has approved them, but a user can. */
  readonly trusted: readonly WaitingTool[];
  /** Returns true when a user has approved this definition. */
  isApproved(tool: RemoteTool): boolean;
  /** Returns what the server says of a tool for hosts alone: all of it once it has listed the tool. */
  hostFieldsOf(tool: RemoteTool): HostToolFields | undefined;
  /** Lists what was left out, and why. */
  readonly problems: readonly Text[];
  readonly warnings: readonly Text[];
  /** Holds the protocol revisions that the server spoke last. */
  readonly era: Era | undefined;
  /** Is true when the server's tools are known, from a list or from an earlier start. */
  readonly isKnown: boolean;
  /** Is true when a question may be asked with the tools of an earlier start, before the server has listed them again. */
  readonly isRecent: boolean;
  /** Holds the time of the last listing, by `performance.now()`. */
  readonly listedAt: number;
  /** Reads what was approved; to be awaited before anything else. Never rejects. */
  load(): Promise<void>;
  applyListing(listing: Listing, era: Era): Promise<void>;
  /**
   * Returns the entries of a list with approved texts alone; those that the server listed first are approved. `key` is the property
   * that names an entry.
   */
  applyTexts(list: TextList, entries: readonly Entry[], key: string): Promise<Entry[]>;
  /** Approves those of the tools, waiting or trusted, that still are as they were shown, and gives them. Rejects when that cannot be kept. */
  approve(shown: readonly WaitingTool[]): Promise<WaitingTool[]>;
  /** Looks whether another process has approved something since; whether it has. */
  refresh(): Promise<boolean>;
}

export interface ToolListOptions {
  settings: ServerSettings;
  store: PinStore;
  newTools: "stop" | "allow";
  otherTools(): OtherTool[];
}

export function createToolList({ settings, store, newTools, otherTools }: ToolListOptions): ToolList {
  // Both use Node's cryptography, whose first digest takes some milliseconds, and neither is needed before a server has listed something.
  const getOrigin = createLazy(() => toServerOrigin(settings));
  const getOwner = createLazy(createOwner);
  let pins: ServerPins | undefined;
  let listed: Listing | undefined;
  /** Pairs each tool as the server describes it with the form that a model may see. */
  let pairs: { raw: RemoteTool; tool: RemoteTool }[] = [];
  let hostFields: ReadonlyMap<string, HostToolFields> = new Map();
  let usable: RemoteTool[] = [];
  let waiting: WaitingTool[] = [];
  const waitingTexts = new Map<TextList, WaitingTool[]>();
  const warningsOf = createWarnings();
  /** Explains why approvals cannot be read or stored. */
  let storeProblem: Text | undefined;
  let isDamaged = false;
  let listedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    await read();
    if (listed === undefined) show(pins?.tools ?? []);
  }

  async function read(): Promise<void> {
    const found = await store.read(settings);
    pins = found.pins;
    storeProblem = found.problem;
    isDamaged = found.problem !== undefined;
  }

  function show(tools: readonly RemoteTool[]): void {
    const known = new Map(pairs.map((each) => [each.raw.name, each]));
    const wanted = tools.filter(({ name }) => isWanted(settings, name));
    pairs = wanted.map((raw) => {
      const before = known.get(raw.name);
      return before && isSameTool(before.raw, raw) ? before : { raw, tool: makeToolVisible(raw) };
    });
    usable = pairs.map(({ tool }) => tool);
  }

  function isApprovedName(name: string): boolean {
    return pins?.approved?.includes(name) === true;
  }

  function listTrusted(): WaitingTool[] {
    return pairs.flatMap(({ raw }) => (isApprovedName(raw.name) ? [] : [{ kind: "trusted" as const, tool: raw }]));
  }

  function listWaiting(): WaitingTool[] {
    return [...waiting, ...[...waitingTexts.values()].flat()];
  }

  /** Another process may have approved something, which must not be overwritten. */
  async function readAgain(): Promise<boolean> {
    if (!(await store.hasChanged(settings))) return false;
    const before = pins;
    await read();
    // Approvals that somebody has deleted meanwhile are still known here; nothing is trusted anew for that.
    if (pins === undefined && before !== undefined) await keepPins(before);
    for (const [list, texts] of waitingTexts) waitingTexts.set(list, texts.filter(isStillWaiting));
    return true;
  }

  function isStillWaiting({ list, tool }: WaitingTool): boolean {
    return pins === undefined || !listPinned(pins, list).some((pinned) => isSameTool(pinned, tool));
  }

  async function applyTexts(list: TextList, entries: readonly Entry[], key: string): Promise<Entry[]> {
    const texts = entries.map((entry) => toTexts(entry, key));
    await readAgain();
    const known = { origin: getOrigin(), tools: pins?.texts?.[list] ?? [] };
    const found = checkPins(
      known,
      texts.filter((each) => each !== undefined),
      { origin: getOrigin(), newTools, isDamaged },
    );
    const changes = found.waiting.map((each): WaitingTool => ({ ...each, list }));
    waitingTexts.set(list, changes);
    const { tools: pinned } = found.pins;
    const base = pins ?? { origin: getOrigin(), tools: [] };
    await keepPins(pinned === known.tools ? base : { ...base, texts: { ...base.texts, [list]: pinned } });
    return entries.map((entry, index) => {
      const own = texts[index];
      if (own === undefined || found.usable.includes(own)) return entry;
      return withTexts(entry, changes.find(({ tool }) => tool.name === own.name)?.pinned);
    });
  }

  async function checkAgain(era: Era | undefined): Promise<void> {
    if (listed === undefined) return;
    const found = checkPins(pins, listed.tools, { origin: getOrigin(), newTools, isDamaged });
    show(found.usable);
    waiting = found.waiting.filter(({ tool }) => isWanted(settings, tool.name));
    await keepPins(
      era === undefined
        ? found.pins
        : { ...found.pins, era, lastListing: toLastListing(pins?.lastListing, listed.hostFields) },
    );
  }

  async function keepPins(pinned: ServerPins): Promise<void> {
    const offered = replaceOffered(pinned, listWaiting(), getOwner());
    const next: ServerPins = offered === pinned.offered ? pinned : { ...pinned, offered };
    const isKept =
      pins !== undefined &&
      pins.tools === next.tools &&
      pins.approved === next.approved &&
      pins.texts === next.texts &&
      pins.offered === next.offered &&
      pins.era === next.era &&
      pins.lastListing === next.lastListing &&
      pins.origin === next.origin;
    pins = next;
    // What cannot be read stays as it is until somebody has approved something.
    if (isKept || (isDamaged && next.tools.length === 0)) return;
    storeProblem = await store.write(settings, next).then(
      () => undefined,
      (thrown) => toDuetError(thrown).text,
    );
    isDamaged &&= storeProblem !== undefined;
  }

  return {
    get usable() {
      return usable;
    },
    get waiting() {
      return waiting;
    },
    get waitingBesides() {
      const own = listWaiting();
      return [...own.slice(waiting.length), ...listOfferedElsewhere(pins, own, getOwner())];
    },
    get trusted() {
      return listTrusted();
    },
    isApproved: (tool) => pairs.some((pair) => pair.tool === tool && isApprovedName(pair.raw.name)),
    hostFieldsOf: ({ name }) =>
      listed === undefined ? findKnownFields(pins?.lastListing, name) : hostFields.get(name),
    get problems() {
      return listed?.problems ?? [];
    },
    get warnings() {
      const found = listed === undefined ? [] : warningsOf(listed.tools, otherTools());
      return storeProblem === undefined ? found : [storeProblem, ...found];
    },
    get era() {
      return pins?.era;
    },
    get isKnown() {
      return listed !== undefined || pins !== undefined;
    },
    get isRecent() {
      const ageMs = Date.now() - (pins?.lastListing?.at ?? Number.NEGATIVE_INFINITY);
      // A tool that came since would be usable at once where new ones are allowed, so there the list is waited for.
      return newTools === "stop" && usable.length > 0 && ageMs >= 0 && ageMs < recentMs;
    },
    get listedAt() {
      return listedAt;
    },
    load() {
      loading ??= load();
      return loading;
    },
    async applyListing(listing, era) {
      const before = listed;
      listed = listing;
      hostFields = new Map([...listing.hostFields].map(([name, fields]) => [name, makeTreeVisible(fields)]));
      listedAt = performance.now();
      // A server that announces the same list for ever is not judged for ever.
      if (before !== undefined && era === pins?.era && isSameList(before.tools, listing.tools)) return;
      await readAgain();
      await checkAgain(era);
    },
    applyTexts,
    async approve(shown) {
      await readAgain();
      if (pins === undefined) return [];
      const own = listWaiting();
      const all = [...own, ...listOfferedElsewhere(pins, own, getOwner()), ...listTrusted()];
      const still = all.filter((each) => shown.some((seen) => isSameChange(seen, each)));
      const [tools, texts] = [still.filter(({ list }) => !list), still.filter(({ list }) => list)];
      const names = tools.map(({ tool }) => tool.name);
      const next = approveTexts(approvePins(pins, tools, names), texts);
      for (const [list, each] of waitingTexts)
        waitingTexts.set(
          list,
          each.filter((change) => !still.some((one) => isSameChange(one, change))),
        );
      await keepPins(next);
      await checkAgain(undefined);
      if (storeProblem !== undefined) throw new DuetError({ code: "config", text: storeProblem });
      return shown.filter((seen) => still.some((each) => isSameChange(seen, each)));
    },
    async refresh() {
      const hasChanged = await readAgain();
      if (hasChanged) await checkAgain(undefined);
      return hasChanged;
    },
  };
}

/** Limits how old a list may be that a question does not wait for to be made anew, in milliseconds. */
const recentMs = 86_400_000;

function isSameChange(one: WaitingTool, other: WaitingTool): boolean {
  return one.list === other.list && isSameTool(one.tool, other.tool);
}

function isSameList(one: readonly RemoteTool[], other: readonly RemoteTool[]): boolean {
  return one.length === other.length && one.every((tool, index) => isSame(tool, other[index]));
}

function isSame(tool: RemoteTool, other: RemoteTool | undefined): boolean {
  return other !== undefined && isSameTool(tool, other);
}

/** Returns true when the configuration includes this tool; `name` is the server's own name for it. */
export function isWanted(settings: Pick<ServerSettings, "includeTools" | "excludeTools">, name: string): boolean {
  if (settings.excludeTools?.some((pattern) => isMatch(name, pattern))) return false;
  return settings.includeTools?.some((pattern) => isMatch(name, pattern)) ?? true;
}
