import type { SharedRecord, SharedRecords } from "../../core/store/shared-records.ts";
import { createKeyedMutex } from "../../kit/async/semaphore.ts";

/** Keeps records for as long as the process lives. */
export function createMemoryRecords(now: () => number = Date.now): SharedRecords {
  const kept = new Map<string, SharedRecord & { until: number }>();
  const turns = createKeyedMutex();
  let last = 0;
  const toKey = (kind: string, name: string): string => JSON.stringify([kind, name]);

  function find(key: string): (SharedRecord & { until: number }) | undefined {
    const found = kept.get(key);
    if (found === undefined || found.until > now()) return found;
    kept.delete(key);
    return undefined;
  }

  function keepRecord(key: string, data: string, lastsMs: number): number {
    last += 1;
    kept.set(key, { data, version: last, until: now() + lastsMs });
    return last;
  }

  return {
    isShared: false,
    async get(kind, name) {
      const found = find(toKey(kind, name));
      return found && { data: found.data, version: found.version };
    },
    put: async (kind, name, data, lastsMs = Number.POSITIVE_INFINITY) => keepRecord(toKey(kind, name), data, lastsMs),
    async add(kind, name, data) {
      const key = toKey(kind, name);
      const found = find(key);
      if (found === undefined) keepRecord(key, data, Number.POSITIVE_INFINITY);
      return found?.data ?? data;
    },
    async extend(kind, name, lastsMs) {
      const found = find(toKey(kind, name));
      if (found !== undefined) found.until = now() + lastsMs;
      return found !== undefined;
    },
    remove: async (kind, name) => kept.delete(toKey(kind, name)),
    async exclusively(kind, name, signal, work) {
      const release = await turns(toKey(kind, name), signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
