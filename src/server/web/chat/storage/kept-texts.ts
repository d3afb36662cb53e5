import { createKey } from "../create-key.ts";
import type { KeptDatabase, KeptText } from "./kept-text.ts";

/** Is what a caller says of a text; the tab, the owner and the time are added. */
export type NewText = Omit<KeptText, "tab" | "owner" | "at">;

/** Keeps what has been written and the server does not have yet, so that it outlasts a reload, a closed tab and a restart of the server. */
export interface KeptTexts {
  /** Returns what this tab kept before a reload and what closed tabs kept, the oldest first. It all belongs to this tab from now on. */
  claim(): Promise<readonly KeptText[]>;
  /** Keeps a text, or what is new in it. It is written soon, and at once with new files. */
  put(text: NewText): void;
  remove(key: string): void;
  /** Writes what waits to be written, because the page may be gone the next moment. */
  flush(): void;
}

export interface KeptTextsOptions {
  readonly database: KeptDatabase;
  /** Is the same in a tab after a reload, and another one in each tab. */
  readonly tab: string;
  /** Names who is signed in. */
  owner(): string;
  /** Lists the tabs that are open; undefined where the browser does not say. */
  listOpenTabs(): Promise<ReadonlySet<string> | undefined>;
}

/** Limits what is kept of all tabs: how many texts, how much of them with their files, in UTF-16 units, and how long, in milliseconds. */
const most = { texts: 200, units: 60_000_000, ageMs: 30 * 24 * 3_600_000 };

/** Is how long a change waits for the next one, in milliseconds; longer where large files would be written again with each word. */
const pauses = { usualMs: 300, heavyMs: 5_000, heavyUnits: 1_000_000 };

export function createKeptTexts({ database, tab, owner, listOpenTabs }: KeptTextsOptions): KeptTexts {
  const toWrite = new Map<string, NewText & { readonly at: number }>();
  const toRemove = new Set<string>();
  /** Holds the files that were written with a text. */
  const filesOf = new Map<string, NewText["files"]>();
  let timer: { id: ReturnType<typeof setTimeout>; ms: number } | undefined;

  function flush(): void {
    clearTimeout(timer?.id);
    timer = undefined;
    if (toWrite.size === 0 && toRemove.size === 0) return;
    const written = [...toWrite.values()].map((text): KeptText => ({ ...text, tab, owner: owner() }));
    void database.change(written, [...toRemove]);
    for (const { key, files } of written) filesOf.set(key, files);
    for (const key of toRemove) filesOf.delete(key);
    toWrite.clear();
    toRemove.clear();
  }

  function flushAfter(ms: number): void {
    if (timer !== undefined && timer.ms <= ms) return;
    clearTimeout(timer?.id);
    timer = { id: setTimeout(flush, ms), ms };
  }

  return {
    flush,
    async claim() {
      const [all, open] = await Promise.all([database.list(), listOpenTabs()]);
      const { kept, dropped } = limitTexts(all, Date.now());
      const isFree = (text: KeptText): boolean =>
        text.kind === "queued" || text.tab === tab || open?.has(text.tab) === false;
      const own = kept.filter((text) => text.owner === owner() && isFree(text));
      const moved = own.filter((text) => text.tab !== tab && text.kind !== "queued");
      const places = new Set(own.filter((text) => text.tab === tab).map(({ key }) => key));
      const claimed = new Map(moved.toReversed().map((text) => [text, claimText(text, tab, places)]));
      await database.change(
        [...claimed.values()],
        [...moved, ...dropped].map(({ key }) => key),
      );
      return own.map((text) => claimed.get(text) ?? text);
    },
    put(text) {
      toRemove.delete(text.key);
      toWrite.set(text.key, { ...text, at: Date.now() });
      const isKnown = filesOf.get(text.key) === text.files;
      // Some browsers write nothing any more once the page goes, and files are nowhere else.
      if (!isKnown && text.files.length > 0) return flush();
      flushAfter(measureUnits(text) > pauses.heavyUnits ? pauses.heavyMs : pauses.usualMs);
    },
    remove(key) {
      toWrite.delete(key);
      toRemove.add(key);
      flushAfter(pauses.usualMs);
    },
  };
}

/** Names the draft of a tab in a conversation. */
export function toDraftKey(tab: string, conversationId = ""): string {
  return `draft ${tab} ${conversationId}`;
}

/** Gives a text of a closed tab to this one. Of several drafts in one place the newest is the draft, and none is lost. */
function claimText(text: KeptText, tab: string, places: Set<string>): KeptText {
  const key = toDraftKey(tab, text.conversationId);
  if (text.kind !== "draft" || places.has(key)) return { ...text, tab, kind: "unsent", key: createKey() };
  places.add(key);
  return { ...text, tab, key };
}

/** Leaves out what is too old and, of what is too much, the oldest. */
export function limitTexts(
  all: readonly KeptText[],
  now: number,
): { readonly kept: readonly KeptText[]; readonly dropped: readonly KeptText[] } {
  let units = 0;
  const newest = all.toSorted((one, other) => other.at - one.at);
  const isKept = (text: KeptText, index: number): boolean => {
    units += measureUnits(text);
    return index < most.texts && units <= most.units && now - text.at <= most.ageMs;
  };
  const kept = newest.filter(isKept);
  const known = new Set(kept);
  return { kept: kept.toReversed(), dropped: newest.filter((text) => !known.has(text)) };
}

function measureUnits({ text, files }: Pick<KeptText, "text" | "files">): number {
  return text.length + files.reduce((sum, { data }) => sum + data.length, 0);
}
