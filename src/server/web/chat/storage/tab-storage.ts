import type { Mode } from "../../../../core/run/outcome.ts";
import { isRecord, toText } from "../../../../kit/json.ts";
import type { Locale } from "../../../../kit/locale.ts";
import { modes } from "../../../../render/mode-names.ts";
import { type ModelKey, parameterNames, readNumbers, roles } from "../api/server-settings.ts";
import { type ChatState, type Choices, isUnsettled } from "../state/chat-state.ts";

/** Holds what a tab restores after a reload. */
export interface StoredChat {
  readonly locale: Locale | undefined;
  readonly choices: Partial<Choices>;
  readonly conversationId: string | undefined;
  /** Holds the runs that were active, in this conversation and in others. */
  readonly runs: readonly StoredRun[];
}

interface StoredRun {
  readonly id: string;
  readonly question: string;
  readonly conversationId: string | undefined;
}

/** Keeps values for one tab for as long as it is open. No other tab sees them. */
export interface TabStorage {
  token(): string | undefined;
  keepToken(token: string): void;
  /** Is when the token was given, in milliseconds since 1970; 0 where nobody knows. */
  tokenSince(): number;
  /** Forgets the token, and the owner of the tab as `removeMarked` does. */
  forgetToken(): void;
  /** Returns the owner of the tab as the server names it; undefined as long as nobody has been let in. */
  owner(): string | undefined;
  keepOwner(owner: string): void;
  chat(): StoredChat;
  keepChat(chat: StoredChat): void;
  /** Leaves the tab to somebody else, from its next page on: this page may still write what is its owner's. */
  markForRemoval(): void;
  /** Forgets who the marked tab belonged to and what was in sight, but the choices. Drafts stay: they are found by their owner alone. */
  removeMarked(): void;
}

const prefix = "duet.";
const tokenName = `${prefix}token`;
const sinceName = `${prefix}token.since`;
const chatName = `${prefix}chat`;
const ownerName = `${prefix}owner`;
const markName = `${prefix}left`;

/** The values are kept in memory until the page closes when the browser denies access to its storage. */
export function createTabStorage(storage: () => Storage): TabStorage {
  const memory = new Map<string, string>();
  const read = (name: string): string | undefined => {
    try {
      return storage().getItem(name) ?? memory.get(name);
    } catch {
      return memory.get(name);
    }
  };
  /** Removes a value for the next page; this one still has it in memory. */
  const removeStored = (name: string): void => {
    try {
      storage().removeItem(name);
    } catch {
      // Nothing has been kept.
    }
  };
  /** Returns false where the value is in memory alone, which is enough until the page goes. */
  const write = (name: string, value: string): boolean => {
    memory.set(name, value);
    try {
      storage().setItem(name, value);
      return true;
    } catch {
      return false;
    }
  };
  const removeOwner = (): void => {
    const chat = readChat(read(chatName));
    for (const name of [markName, ownerName, chatName]) {
      removeStored(name);
      memory.delete(name);
    }
    write(chatName, JSON.stringify({ ...chat, conversationId: undefined, runs: [] }));
  };
  return {
    token: () => read(tokenName) || undefined,
    tokenSince: () => Number(read(sinceName) ?? 0),
    forgetToken() {
      for (const name of [tokenName, sinceName]) {
        removeStored(name);
        memory.delete(name);
      }
      removeOwner();
    },
    keepToken(token) {
      write(sinceName, String(Date.now()));
      if (write(tokenName, token)) return;
      // The next page is not to ask with the token that was replaced.
      removeStored(tokenName);
    },
    owner: () => read(ownerName),
    keepOwner: (owner) => void write(ownerName, owner),
    chat: () => readChat(read(chatName)),
    keepChat: (chat) => void write(chatName, JSON.stringify(chat)),
    markForRemoval() {
      if (write(markName, "1")) return;
      // A full storage does not keep the mark. The next page would find the same owner, and be left again for ever.
      for (const name of [ownerName, chatName]) removeStored(name);
    },
    removeMarked() {
      if (read(markName) !== undefined) removeOwner();
    },
  };
}

function readChat(text: string | undefined): StoredChat {
  const kept = parse(text);
  const { locale, choices, conversationId, runs } = isRecord(kept) ? kept : {};
  return {
    locale: locale === "zh" || locale === "en" ? locale : undefined,
    choices: readChoices(choices),
    conversationId: toText(conversationId) || undefined,
    runs: Array.isArray(runs) ? runs.flatMap(readRun) : [],
  };
}

function readRun(value: unknown): StoredRun[] {
  if (!isRecord(value) || toText(value.id) === "") return [];
  const { id, question, conversationId } = value;
  return [{ id: toText(id), question: toText(question), conversationId: toText(conversationId) || undefined }];
}

function readChoices(value: unknown): Partial<Choices> {
  if (!isRecord(value)) return {};
  const mode = modes.find((known) => known === value.mode);
  const models = mapRoles(value.models, (name) => toText(name) || undefined);
  const parameters = mapRoles(value.parameters, (own) => readNumbers(own, parameterNames));
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(typeof value.search === "boolean" ? { search: value.search } : {}),
    models,
    parameters,
  };
}

function mapRoles<T>(value: unknown, read: (value: unknown) => T | undefined): Partial<Record<ModelKey, T>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    roles.flatMap((role) => {
      const found = read(value[role]);
      return found === undefined ? [] : [[role, found]];
    }),
  );
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps what a tab finds again after a reload, each time that it is another. */
export function createSaver(keeper: TabStorage): (chat: ChatState, locale: Locale) => void {
  let before = "";
  return (chat, locale) => {
    const { choices, conversationId } = chat;
    const kept = { locale, choices, conversationId, runs: listUnsettledRuns(chat) };
    const now = JSON.stringify(kept);
    if (now !== before) keeper.keepChat(kept);
    before = now;
  };
}

function listUnsettledRuns({ turns }: ChatState): StoredRun[] {
  return Object.values(turns)
    .filter(isUnsettled)
    .flatMap(({ conversationId, run: { runId: id, question } }) => (id ? [{ id, question, conversationId }] : []));
}

/** Holds the choices made in this browser, for tabs that have made none of their own. */
interface Preferences {
  readonly locale?: Locale | undefined;
  readonly mode?: Mode | undefined;
}

export interface PreferenceKeeper {
  /** Returns the tab's own choices, completed with the choices made in other tabs. */
  complete(kept: StoredChat): StoredChat;
  /** Takes the current choices. Those that differ from the previous call count as chosen. */
  saveChoices(now: Required<Preferences>): void;
}

const name = "duet.preferences";

/** Nothing is kept when the browser denies access to its storage. */
export function createPreferences(storage: () => Storage): PreferenceKeeper {
  let before: Preferences = {};
  const read = (): Preferences => {
    try {
      return readPreferences(JSON.parse(storage().getItem(name) ?? "null"));
    } catch {
      return {};
    }
  };
  return {
    complete(kept) {
      const { locale, mode } = read();
      const choices = mode === undefined ? kept.choices : { mode, ...kept.choices };
      return { ...kept, locale: kept.locale ?? locale, choices };
    },
    saveChoices(now) {
      const { locale = now.locale, mode = now.mode } = before;
      before = now;
      if (locale === now.locale && mode === now.mode) return;
      const chosen = {
        ...read(),
        ...(locale === now.locale ? {} : { locale: now.locale }),
        ...(mode === now.mode ? {} : { mode: now.mode }),
      };
      try {
        storage().setItem(name, JSON.stringify(chosen));
      } catch {
        // The next tab begins as the first did.
      }
    },
  };
}

function readPreferences(value: unknown): Preferences {
  const { locale, mode } = isRecord(value) ? value : {};
  return {
    locale: locale === "zh" || locale === "en" ? locale : undefined,
    mode: modes.find((known) => known === mode),
  };
}
