import { LRUCache } from "lru-cache";
import type { Duet } from "../../app/duet.ts";
import type { Caller } from "../../core/caller.ts";
import type { HostIdentity } from "../../core/store/host-timeouts.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";

/**
 * Remembers after how many seconds a caller's host gave up a call, so that its next call is answered in time. What the store keeps
 * counts for later processes too.
 */
export interface ObservedTimeouts {
  /** Returns undefined when the host has not given up a call. Never rejects. */
  get(caller: Caller, host: HostIdentity): Promise<number | undefined>;
  record(caller: Caller, host: HostIdentity, seconds: number): void;
}

/** Limits how many hosts are remembered, and the length of what a host reports, in UTF-16 units. */
const mostHosts = 1000;
const longestName = 200;

/**
 * Creates the memory for a process with this `window` in its configuration. A time-out that was observed with another one does not
 * count, because the host's limit may have been changed with it.
 */
export function createObservedTimeouts(duet: Pick<Duet, "store">, window: number | undefined): ObservedTimeouts {
  const known = new LRUCache<string, { seconds: number | undefined }>({ max: mostHosts });

  async function readStored(caller: Caller, host: HostIdentity): Promise<number | undefined> {
    return (await duet.store(caller)).hostTimeouts?.get(host);
  }

  async function writeStored(caller: Caller, host: HostIdentity, seconds: number): Promise<void> {
    await (await duet.store(caller)).hostTimeouts?.set(host, seconds);
  }

  return {
    async get(caller, given) {
      const host = toKnownAs(given, window);
      const key = toKey(caller, host);
      const found = known.get(key);
      if (found !== undefined) return found.seconds;
      const seconds = await ignoreRejection(readStored(caller, host), "a store that cannot be read is told by the run");
      // A call may have been given up meanwhile.
      if (!known.has(key)) known.set(key, { seconds });
      return known.get(key)?.seconds;
    },
    record(caller, given, seconds) {
      const host = toKnownAs(given, window);
      known.set(toKey(caller, host), { seconds });
      void ignoreRejection(
        writeStored(caller, host, seconds),
        "this process knows it, and the next one observes it again",
      );
    },
  };
}

function toKnownAs({ name, version }: HostIdentity, window: number | undefined): HostIdentity {
  const configured = window === undefined ? "" : ` --window ${window}`;
  return { name: name.slice(0, longestName), version: `${version.slice(0, longestName)}${configured}` };
}

function toKey({ owner }: Caller, { name, version }: HostIdentity): string {
  return JSON.stringify([owner ?? null, name, version]);
}
