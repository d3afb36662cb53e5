import type { Flags } from "../config.ts";
import { sleep } from "../core/waiting.ts";
import type { Opened } from "./opened.ts";
import { warning } from "./stderr-lines.ts";

/** Nobody waits for it at the start; a change from before it is seen all the same. */
const startAfterMs = 1000;

/** Does work that lasts, and meanwhile takes the servers of a configuration that changes. */
export async function following<T>(flags: Flags, opened: Opened, work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([opened.signal, over.signal]);
  follow(flags, opened, signal).catch(() => {});
  try {
    return await work();
  } finally {
    over.abort();
  }
}

/** Rejects when the signal aborts before it has begun. */
async function follow(flags: Flags, { duet, config, console }: Opened, signal: AbortSignal): Promise<void> {
  await sleep(startAfterMs, signal);
  const { watchConfig } = await import("../app/reload.ts");
  watchConfig({
    config,
    flags,
    onServers: (servers) => duet.configure(servers),
    warn: warning(config, console),
    signal,
  });
}
