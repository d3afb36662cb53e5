import { createHash } from "node:crypto";
import { chmod, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FindRecords } from "../../core/store/shared-records.ts";
import { createSemaphore, type Semaphore } from "../../kit/async/semaphore.ts";
import { acquireLock } from "../../kit/file-lock.ts";
import { isRecord, tryParseJson } from "../../kit/json.ts";
import { createFolder, readPrivateFile, writePrivateFile } from "../../kit/private-file.ts";
import { type Credentials, noCredentials, readCredentials } from "./credentials.ts";

/** Identifies the server that credentials belong to: another URL under the same name finds nothing. */
export interface CredentialOwner {
  name: string;
  url: string;
}

/** Holds the operations available while nobody else, in any process, changes the server's credentials. */
export interface LockedCredentials {
  readonly credentials: Credentials;
  /** Aborts with the signal of whoever waits, and when the operations are not available any more. */
  readonly signal: AbortSignal;
  save(credentials: Credentials): Promise<void>;
}

/** Stores sign-ins, in one file per server, which only the user can read, or in the database that machines share. */
export interface CredentialStore {
  /** Is true where other machines use the same sign-ins: nobody renews one without its turn. */
  readonly isShared: boolean;
  /** Never rejects: what cannot be read is not there. */
  read(owner: CredentialOwner): Promise<Credentials>;
  /** Waits its turn, also among processes. Rejects with the signal's reason, or with what the work throws. */
  exclusively<T>(
    owner: CredentialOwner,
    signal: AbortSignal,
    work: (held: LockedCredentials) => Promise<T>,
  ): Promise<T>;
  /** Resolves to false when there was nothing to forget. */
  forget(name: string): Promise<boolean>;
}

/** Limits a credentials file, in bytes; the sign-ins to one server take less. */
const largestFile = 1_000_000;

/** Keeps credentials in the records that machines share; without them under `home`, and in memory when that is undefined too. */
export function createCredentialStore(home: string | undefined, findRecords?: FindRecords): CredentialStore {
  const turns = new Map<string, Semaphore>();
  const shelf = openStorage();

  function openStorage(): CredentialStorage {
    if (findRecords !== undefined) return openShared(findRecords);
    return home === undefined ? openMemory() : openFolder(join(home, "credentials"));
  }

  function turnOf(name: string): Semaphore {
    const known = turns.get(name) ?? createSemaphore(1);
    turns.set(name, known);
    return known;
  }

  return {
    isShared: findRecords !== undefined,
    read: (owner) => shelf.read(owner),
    async exclusively(owner, signal, work) {
      const turn = turnOf(owner.name);
      await turn.acquire(signal);
      try {
        return await shelf.alone(owner.name, signal, async (during) => {
          const credentials = await shelf.read(owner);
          return work({ credentials, signal: during, save: (changed) => shelf.write(owner, changed) });
        });
      } finally {
        turn.release();
      }
    },
    forget: (name) => shelf.remove(name),
  };
}

interface CredentialStorage {
  read(owner: CredentialOwner): Promise<Credentials>;
  write(owner: CredentialOwner, credentials: Credentials): Promise<void>;
  /** Does the work while no other process changes what is under this name: until the signal aborts that it is given. */
  alone<T>(name: string, signal: AbortSignal, work: (during: AbortSignal) => Promise<T>): Promise<T>;
  remove(name: string): Promise<boolean>;
}

function openMemory(): CredentialStorage {
  const kept = new Map<string, { url: string; credentials: Credentials }>();
  return {
    async read({ name, url }) {
      const found = kept.get(name);
      return found?.url === url ? found.credentials : noCredentials;
    },
    async write({ name, url }, credentials) {
      kept.set(name, { url, credentials });
    },
    alone: (_name, signal, work) => work(signal),
    remove: async (name) => kept.delete(name),
  };
}

function openShared(findRecords: FindRecords): CredentialStorage {
  return {
    async read({ name, url }) {
      try {
        const value = tryParseJson((await (await findRecords()).get("credentials", name))?.data ?? "");
        const isTheirs = isRecord(value) && value.url === url;
        return (isTheirs ? readCredentials(value) : undefined) ?? noCredentials;
      } catch {
        return noCredentials;
      }
    },
    async write({ name, url }, credentials) {
      await (await findRecords()).put("credentials", name, JSON.stringify({ server: name, url, ...credentials }));
    },
    alone: async (name, signal, work) => (await findRecords()).exclusively("credentials", name, signal, work),
    remove: async (name) => (await findRecords()).remove("credentials", name),
  };
}

function openFolder(folder: string): CredentialStorage {
  const getFile = (name: string): string => join(folder, toFileName(name));
  return {
    async read({ name, url }) {
      const value = await readJson(getFile(name));
      const isTheirs = isRecord(value) && value.server === name && value.url === url;
      return (isTheirs ? readCredentials(value) : undefined) ?? noCredentials;
    },
    async write({ name, url }, credentials) {
      await makePrivate(folder);
      await writePrivateFile(getFile(name), `${JSON.stringify({ server: name, url, ...credentials }, undefined, 2)}\n`);
    },
    async alone(name, signal, work) {
      await makePrivate(folder);
      const unlock = await acquireLock(`${getFile(name)}.lock`, signal);
      try {
        return await work(signal);
      } finally {
        await unlock();
      }
    },
    async remove(name) {
      const file = getFile(name);
      const isThere = (await readJson(file)) !== undefined;
      await rm(file, { force: true });
      return isThere;
    },
  };
}

/** Returns a file name that every file system accepts and that no other server has. */
function toFileName(server: string): string {
  const digest = createHash("sha256").update(server).digest("hex").slice(0, 12);
  return `${server.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40)}-${digest}.json`;
}

async function readJson(file: string): Promise<unknown> {
  try {
    const { text, state } = await readPrivateFile(file, largestFile);
    if (text === undefined) return undefined;
    if ((state.mode & 0o077n) !== 0n) await chmod(file, 0o600);
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function makePrivate(folder: string): Promise<void> {
  createFolder(folder);
  if (((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
}
