import { createHash } from "node:crypto";
import { chmod, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createSemaphore, type Semaphore } from "../../kit/async/semaphore.ts";
import { acquireLock } from "../../kit/file-lock.ts";
import { isRecord } from "../../kit/json.ts";
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
  save(credentials: Credentials): Promise<void>;
}

/** Stores sign-ins in one file per server, which only the user can read. */
export interface CredentialStore {
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

/** Keeps credentials under `home`, in memory when that is undefined. */
export function createCredentialStore(home: string | undefined): CredentialStore {
  const turns = new Map<string, Semaphore>();
  const shelf = home === undefined ? openMemory() : openFolder(join(home, "credentials"));

  function turnOf(name: string): Semaphore {
    const known = turns.get(name) ?? createSemaphore(1);
    turns.set(name, known);
    return known;
  }

  return {
    read: (owner) => shelf.read(owner),
    async exclusively(owner, signal, work) {
      const turn = turnOf(owner.name);
      await turn.acquire(signal);
      try {
        const unlock = await shelf.lock(owner.name, signal);
        try {
          const credentials = await shelf.read(owner);
          return await work({ credentials, save: (changed) => shelf.write(owner, changed) });
        } finally {
          await unlock();
        }
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
  lock(name: string, signal: AbortSignal): Promise<() => Promise<void>>;
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
    lock: async () => async () => {},
    remove: async (name) => kept.delete(name),
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
    async lock(name, signal) {
      await makePrivate(folder);
      return acquireLock(`${getFile(name)}.lock`, signal);
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
