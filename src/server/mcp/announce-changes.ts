import { createHash } from "node:crypto";
import type { McpServer } from "@modelcontextprotocol/server";
import type { Gateway, List } from "../../app/tools/gateway.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { sleep } from "../../kit/async/timeout.ts";
import { type Locale, say } from "../../kit/locale.ts";
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

/** Reports to the operator how many tools wait to be approved each time the number has changed. The returned function stops this. */
export function reportUnapproved({ gateway, locale, log }: ReportUnapprovedOptions): () => void {
  let reported = 0;
  let isOver = false;

  async function reportCount(): Promise<void> {
    const waiting = await gateway.waiting();
    const count = waiting.length;
    if (isOver || count === reported) return;
    reported = count;
    if (count === 0) return;
    const servers = [...new Set(waiting.map(({ server }) => server))].join(", ");
    const words = {
      zh: `有 ${count} 个工具是新的或有变化（${servers}），批准前不会使用：duet tools approve`,
      en: `Tools that are new or changed and are not used until approved: ${count} (${servers}); run duet tools approve`,
    };
    log(say(locale, words), "warn");
  }

  const unlisten = gateway.onChange((list) => {
    if (list === "tools") void ignoreRejection(reportCount(), "the failure is reported to whoever wants the tools");
  });
  // Servers whose part of the program cannot be loaded are reported to whoever wants their tools.
  void ignoreRejection(reportCount(), "the failure is reported to whoever wants the tools");
  return () => {
    isOver = true;
    unlisten();
  };
}
