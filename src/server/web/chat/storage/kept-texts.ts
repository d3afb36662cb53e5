import { waitPatiently } from "../../../../kit/async/timeout.ts";
import { createKey } from "../create-key.ts";
import type { KeptDatabase, KeptText } from "./kept-text.ts";

/** Is what a caller says of a text; the tab, the owner and the time are added. */
export type NewText = Omit<KeptText, "tab" | "owner" | "at">;

/** Keeps what has been written and the server does not have yet, so that it outlasts a reload, a closed tab and a restart of the server. */
export interface KeptTexts {
  /**
   * Returns what this tab kept before a reload and what closed tabs kept, the oldest first. It all belongs to this tab from now on.
   * Nothing is written before.
   */
  claim(): Promise<readonly KeptText[]>;
  /** Keeps a text, or what is new in it. It is written soon, and at once with new files. */
  put(text: NewText): void;
  remove(key: string): void;
  /**
   * Removes all that was kept of whoever is the owner now, whose texts are not kept from now on. A browser that is slow is not waited
   * for longer than 2 s.
   */
  forget(): Promise<void>;
  /** Writes what waits to be written, because the page may be gone the next moment. */
  flush(): void;
}

export interface KeptTextsOptions {
  readonly database: KeptDatabase;
  /** Names the tab, the same after a reload and another one in each tab. It has to be known when texts are claimed. */
  tab(): string;
  /** Lists other names that a version before this one gave the tab and its owner. What was kept under them is claimed as well. */
  listFormerNames?(): { readonly tabs: readonly string[]; readonly owners: readonly string[] };
  /** Names who is signed in, which has to be known when texts are claimed. */
  owner(): string;
  /** Runs once when the browser does not keep files. The words beside them are kept without them. */
  onLostFiles(): void;
  /** Lists the tabs that are open; undefined where the browser does not say. */
  listOpenTabs(): Promise<ReadonlySet<string> | undefined>;
}

/** Limits what is kept of all tabs: how many texts, how much of them with their files, in UTF-16 units, and how long, in milliseconds. */
const most = { texts: 200, units: 60_000_000, ageMs: 30 * 24 * 3_600_000 };

/** Is how long a change waits for the next one, in milliseconds; longer where large files would be written again with each word. */
const pauses = { usualMs: 300, heavyMs: 5_000, heavyUnits: 1_000_000 };

/** Limits how long the removal of texts is waited for, in milliseconds. */
const forgetMs = 2000;

export function createKeptTexts({
  database,
  tab,
  owner,
  listFormerNames = () => ({ tabs: [], owners: [] }),
  onLostFiles,
  listOpenTabs,
}: KeptTextsOptions): KeptTexts {
  const toWrite = new Map<string, NewText & { readonly at: number }>();
  const toRemove = new Set<string>();
  /** Holds what was written last of each text. */
  const newest = new Map<string, KeptText>();
  let hasLostFiles = false;
  let hasClaimed = false;
  let isForgotten = false;
  let timer: { id: ReturnType<typeof setTimeout>; ms: number } | undefined;

  function flush(): void {
    clearTimeout(timer?.id);
    timer = undefined;
    if (!hasClaimed || isForgotten || (toWrite.size === 0 && toRemove.size === 0)) return;
    const written = [...toWrite.values()].map((text): KeptText => ({ ...text, tab: tab(), owner: owner() }));
    const removed = [...toRemove];
    for (const text of written) newest.set(text.key, text);
    for (const key of removed) newest.delete(key);
    toWrite.clear();
    toRemove.clear();
    void write(written, removed);
  }

  /** Writes what is too much together one by one, unless there is something newer meanwhile. */
  async function write(written: readonly KeptText[], removed: readonly string[]): Promise<void> {
    if (await database.change(written, removed)) return;
    await database.change(
      [],
      removed.filter((key) => !newest.has(key)),
    );
    for (const text of written) if (newest.get(text.key) === text) await writeAlone(text);
  }

  async function writeAlone(text: KeptText): Promise<void> {
    if ((await database.change([text], [])) || text.files.length === 0) return;
    if (!hasLostFiles) onLostFiles();
    hasLostFiles = true;
    // A question that waits is on the server with its files, and is not asked without them.
    if (text.kind === "queued" || newest.get(text.key) !== text) return;
    await database.change([{ ...text, files: [], request: undefined }], []);
  }

  async function removeTexts(owner: string): Promise<void> {
    const all = await database.list();
    await database.change(
      [],
      all.filter((text) => text.owner === owner).map(({ key }) => key),
    );
  }

  function flushAfter(ms: number): void {
    if (timer !== undefined && timer.ms <= ms) return;
    clearTimeout(timer?.id);
    timer = { id: setTimeout(flush, ms), ms };
  }

  return {
    flush,
    async forget() {
      isForgotten = true;
      newest.clear();
      await waitPatiently(removeTexts(owner()), forgetMs);
    },
    async claim() {
      const [all, open] = await Promise.all([database.list(), listOpenTabs()]);
      // A tab whose owner has signed out meanwhile takes nothing over.
      if (isForgotten) return [];
      const { kept, dropped } = limitTexts(all, Date.now());
      const former = listFormerNames();
      const tabs = [tab(), ...former.tabs];
      const owners = [owner(), ...former.owners];
      const isFree = (text: KeptText): boolean =>
        text.kind === "queued" || tabs.includes(text.tab) || open?.has(text.tab) === false;
      const own = kept.filter((text) => owners.includes(text.owner) && isFree(text));
      const isHere = (text: KeptText): boolean => text.tab === tab() && text.owner === owner();
      const moved = own.filter((text) => !isHere(text) && (text.kind !== "queued" || text.owner !== owner()));
      const places = new Set(own.filter(isHere).map(({ key }) => key));
      const claimed = new Map(
        moved.toReversed().map((text) => [text, { ...claimText(text, tab(), places), owner: owner() }]),
      );
      await database.change(
        [...claimed.values()],
        [...moved, ...dropped].map(({ key }) => key),
      );
      hasClaimed = true;
      // What was written meanwhile takes over what is found now.
      flushAfter(pauses.usualMs);
      return own.map((text) => claimed.get(text) ?? text);
    },
    put(text) {
      toRemove.delete(text.key);
      toWrite.set(text.key, { ...text, at: Date.now() });
      const isKnown = newest.get(text.key)?.files === text.files;
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
  // The server may know a question by its key.
  if (text.kind !== "draft") return { ...text, tab };
  const key = toDraftKey(tab, text.conversationId);
  if (places.has(key)) return { ...text, tab, kind: "unsent", key: createKey() };
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
