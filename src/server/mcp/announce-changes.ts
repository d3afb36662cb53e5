import { createHash } from "node:crypto";
import type { McpServer } from "@modelcontextprotocol/server";
import type { Gateway, List } from "../../app/tools/gateway.ts";
import type { NamedChange } from "../../app/tools/tool-changes.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { sleep } from "../../kit/async/timeout.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { Log } from "../operations/log.ts";
import type { Capabilities } from "./capabilities.ts";

/** Tells the host of a list that has become another one since it was given. */
export interface Announcements {
  /** Gives the host what `current` finds now; always the same function for the same list. Rejects as that does. */
  give<T>(list: List, current: Current<T>, signal: AbortSignal): Promise<T[]>;
  close(): void;
}

type Current<T> = (signal?: AbortSignal) => Promise<T[]>;

interface SentList {
  list: List;
  /** Names what the host was given last; what it is being given counts already. */
  print: Promise<string>;
}

/** Changes that come together are one, in milliseconds. */
const togetherMs = 100;

export function announceChanges({ server }: McpServer, providers: readonly Capabilities[]): Announcements {
  const given = new Map<Current<unknown>, SentList>();
  const changed = new Set<List>();
  const closed = new AbortController();
  let isGoing = false;
  let unlisten: readonly ((() => void) | undefined)[] | undefined;
  const send = {
    tools: () => server.sendToolListChanged(),
    prompts: () => server.sendPromptListChanged(),
    resources: () => server.sendResourceListChanged(),
  };

  /** A restarted server reports that everything may have changed. The host is notified only when something has. */
  async function isAnother(current: Current<unknown>, was: SentList): Promise<boolean> {
    const print = hashEntries(current(closed.signal));
    try {
      if ((await was.print) === (await print)) return false;
    } catch {
      // What cannot be had now may have changed.
    }
    was.print = print;
    return true;
  }

  async function announce(): Promise<void> {
    if (isGoing) return;
    isGoing = true;
    try {
      while (changed.size > 0) await announceOnce();
    } finally {
      isGoing = false;
    }
  }

  async function announceOnce(): Promise<void> {
    await sleep(togetherMs, closed.signal);
    const lists = [...changed];
    changed.clear();
    const others = new Set<List>();
    for (const [current, was] of given)
      if (lists.includes(was.list) && (await isAnother(current, was))) others.add(was.list);
    // A host that has left gets no announcement.
    if (server.transport !== undefined) for (const list of others) await send[list]();
  }

  function handleChange(list: List): void {
    if (![...given.values()].some((was) => was.list === list)) return;
    changed.add(list);
    void ignoreRejection(announce(), "the failure is reported to whoever requests the list");
  }

  return {
    async give(list, current, signal) {
      // Not before: a server that never gets to a connection is never closed.
      if (!closed.signal.aborted) unlisten ??= providers.map((provider) => provider.onChange?.(handleChange));
      const entries = current(signal);
      given.set(current, { list, print: hashEntries(entries) });
      return entries;
    },
    close() {
      for (const stop of unlisten ?? []) stop?.();
      closed.abort();
    },
  };
}

function hashEntries(entries: Promise<unknown[]>): Promise<string> {
  const print = entries.then((all) => createHash("sha256").update(JSON.stringify(all)).digest("base64"));
  // The failure is reported to whoever requests the list.
  void ignoreRejection(print, "the failure is reported to whoever requests the list");
  return print;
}

export interface ReportUnapprovedOptions {
  gateway: Gateway;
  locale: Locale;
  log: Log;
}

/**
 * Reports the numbers of tools and of descriptions that wait to be approved to the operator, each time one has changed. The
 * returned function stops this.
 */
export function reportUnapproved({ gateway, locale, log }: ReportUnapprovedOptions): () => void {
  const reported = { tools: 0, texts: 0 };
  let isOver = false;

  async function reportCounts(): Promise<void> {
    const waiting = await gateway.waiting();
    if (isOver) return;
    report(
      "tools",
      waiting.filter(({ change }) => change.list === undefined),
    );
    report(
      "texts",
      waiting.filter(({ change }) => change.list !== undefined),
    );
  }

  function report(what: keyof typeof reported, waiting: readonly NamedChange[]): void {
    const count = waiting.length;
    if (count === reported[what]) return;
    reported[what] = count;
    if (count === 0) return;
    const servers = [...new Set(waiting.map(({ server }) => server))].join(", ");
    log(say(locale, unapproved[what](count, servers)), "warn");
  }

  const handleChange = (): void =>
    void ignoreRejection(reportCounts(), "the failure is reported to whoever wants the tools");
  const unlisten = gateway.onChange(handleChange);
  // Servers whose part of the program cannot be loaded are reported to whoever wants their tools.
  handleChange();
  return () => {
    isOver = true;
    unlisten();
  };
}

const unapproved = {
  tools: (count: number, servers: string): Text => ({
    zh: `有 ${count} 个工具是新的或有变化（${servers}），批准前不会使用：duet tools approve`,
    en: `Tools that are new or changed and are not used until approved: ${count} (${servers}); run duet tools approve`,
  }),
  texts: (count: number, servers: string): Text => ({
    zh: `有 ${count} 处提示词或资源的说明是新的或有变化（${servers}），批准前不会转交：duet tools approve`,
    en: `Descriptions of prompts and resources that are new or changed and are not passed on until approved: ${count} (${servers}); run duet tools approve`,
  }),
};
