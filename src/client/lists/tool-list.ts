import type { ServerSettings } from "../../config/config.ts";
import type { HostToolFields } from "../../core/tools/tool.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { isMatch } from "../../kit/text/match-pattern.ts";
import type { Era } from "../lifecycle/handshake.ts";
import { approvePins, checkPins, isSameTool } from "../trust/check-pins.ts";
import { makeToolVisible, makeTreeVisible } from "../trust/hidden-characters.ts";
import type { PinStore, ServerPins, WaitingTool } from "../trust/pin-store.ts";
import { toServerOrigin } from "../trust/server-origin.ts";
import { createWarnings, type OtherTool } from "../trust/tool-warnings.ts";
import type { Listing, RemoteTool } from "./listing.ts";

/** Holds the tools of one server: as listed, as approved, and as the configuration selects them. */
export interface ToolList {
  /** Lists the usable tools in the server's order; the object of a tool stays the same while the tool is unchanged. */
  readonly usable: readonly RemoteTool[];
  readonly waiting: readonly WaitingTool[];
  /** Lists the tools of `usable` that were trusted at first use: nobody has approved them, but a user can. */
  readonly trusted: readonly WaitingTool[];
  /** Returns true when a user has approved this definition. */
  isApproved(tool: RemoteTool): boolean;
  /** Returns what the server says of a tool for hosts alone, once it has listed it. */
  hostFieldsOf(tool: RemoteTool): HostToolFields | undefined;
  /** Lists what was left out, and why. */
  readonly problems: readonly Text[];
  readonly warnings: readonly Text[];
  /** Holds the protocol revisions that the server spoke last. */
  readonly era: Era | undefined;
  /** Is true when the server's tools are known, from a list or from an earlier start. */
  readonly isKnown: boolean;
  /** Holds the time of the last listing, by `performance.now()`. */
  readonly listedAt: number;
  /** Reads what was approved; to be awaited before anything else. Never rejects. */
  load(): Promise<void>;
  applyListing(listing: Listing, era: Era): Promise<void>;
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
  const origin = toServerOrigin(settings);
  let pins: ServerPins | undefined;
  let listed: Listing | undefined;
  /** Pairs each tool as the server describes it with the form that a model may see. */
  let pairs: { raw: RemoteTool; tool: RemoteTool }[] = [];
  let hostFields: ReadonlyMap<string, HostToolFields> = new Map();
  let usable: RemoteTool[] = [];
  let waiting: WaitingTool[] = [];
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

  async function checkAgain(era: Era | undefined): Promise<void> {
    if (listed === undefined) return;
    const found = checkPins(pins, listed.tools, { origin, newTools, isDamaged });
    show(found.usable);
    waiting = found.waiting.filter(({ tool }) => isWanted(settings, tool.name));
    await keepPins(era === undefined ? found.pins : { ...found.pins, era });
  }

  async function keepPins(next: ServerPins): Promise<void> {
    const isKept =
      pins !== undefined &&
      pins.tools === next.tools &&
      pins.approved === next.approved &&
      pins.era === next.era &&
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
    get trusted() {
      return listTrusted();
    },
    isApproved: (tool) => pairs.some((pair) => pair.tool === tool && isApprovedName(pair.raw.name)),
    hostFieldsOf: ({ name }) => hostFields.get(name),
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
      await checkAgain(era);
    },
    async approve(shown) {
      if (pins === undefined) return [];
      const still = [...waiting, ...listTrusted()].filter(({ tool }) =>
        shown.some((seen) => isSameTool(seen.tool, tool)),
      );
      const names = still.map(({ tool }) => tool.name);
      await keepPins(approvePins(pins, still, names));
      await checkAgain(undefined);
      if (storeProblem !== undefined) throw new DuetError({ code: "config", text: storeProblem });
      return shown.filter((seen) => still.some(({ tool }) => isSameTool(seen.tool, tool)));
    },
    async refresh() {
      if (!(await store.hasChanged(settings))) return false;
      const before = pins;
      await read();
      // Approvals that somebody has deleted meanwhile are still known here; nothing is trusted anew for that.
      if (pins === undefined && before !== undefined) await keepPins(before);
      await checkAgain(undefined);
      return true;
    },
  };
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
