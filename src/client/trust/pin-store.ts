import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { ServerSettings } from "../../config/config.ts";
import type { FindRecords } from "../../core/store/shared-records.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { readPrivateFile, writePrivateFile } from "../../kit/private-file.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { readPins, type ServerPins, writePins } from "./pins.ts";
import { toServerOrigin } from "./server-origin.ts";

export interface PinReading {
  /**
   * Is undefined when the server was never seen, when the pins are of another program or address, and when they cannot be read.
   */
  pins: ServerPins | undefined;
  /** Says why existing pins cannot be read. The server's tools then wait for approval again. */
  problem: Text | undefined;
}

/** Stores the pins of all servers, one file or record each. Processes share them, and the last write of a whole one wins. */
export interface PinStore {
  /** Never rejects. */
  read(settings: ServerSettings): Promise<PinReading>;
  /** Rejects with a `DuetError` where it cannot be written; what was there before is there still. */
  write(settings: ServerSettings, pins: ServerPins): Promise<void>;
  /**
   * Returns true when another process has written since this store last read or wrote. Costs one look at the file. Never
   * rejects.
   */
  hasChanged(settings: ServerSettings): Promise<boolean>;
}

/** Limits the file in bytes, and is larger than any list of tools can make it. */
const longestFile = 64_000_000;

/** Keeps pins in the records that machines share; without them under `pins` of that directory, for the user alone, or in memory. */
export function createPinStore(home: string | undefined, findRecords?: FindRecords): PinStore {
  if (findRecords !== undefined) return createSharedStore(findRecords);
  return home === undefined ? createMemoryStore() : createFileStore(join(home, "pins"));
}

function createMemoryStore(): PinStore {
  const kept = new Map<string, ServerPins>();
  return {
    async read(settings) {
      const pins = kept.get(settings.name);
      return { pins: pins?.origin === toServerOrigin(settings) ? pins : undefined, problem: undefined };
    },
    async write(settings, pins) {
      kept.set(settings.name, pins);
    },
    hasChanged: async () => false,
  };
}

function createSharedStore(findRecords: FindRecords): PinStore {
  /** Holds the version of each server's record as it was last read or written. */
  const seen = new Map<string, number | undefined>();
  return {
    async read(settings) {
      const { name } = settings;
      try {
        const record = await (await findRecords()).get("pins", name);
        seen.set(name, record?.version);
        const pins = record && readPins(record.data);
        if (record !== undefined && pins === undefined) return { pins, problem: describeUnreadable(name) };
        return { pins: pins?.origin === toServerOrigin(settings) ? pins : undefined, problem: undefined };
      } catch (thrown) {
        return { pins: undefined, problem: describeUnreadable(name, thrown) };
      }
    },
    async write({ name }, pins) {
      try {
        seen.set(name, await (await findRecords()).put("pins", name, writePins(pins)));
      } catch (cause) {
        throw unwritableFileError(name, cause);
      }
    },
    async hasChanged({ name }) {
      try {
        return (await (await findRecords()).get("pins", name))?.version !== seen.get(name);
      } catch {
        return false;
      }
    },
  };
}

function createFileStore(folder: string): PinStore {
  /** Holds the state of each server's file as it was last read or written. */
  const seen = new Map<string, string>();
  /** Queues the writes of each server, so that the last one requested is the one that stays. */
  const writing = new Map<string, Promise<void>>();
  const paths = new Map<string, string>();

  function toPath(server: string): string {
    const path = paths.get(server) ?? join(folder, toFile(server));
    paths.set(server, path);
    return path;
  }

  async function write({ name }: ServerSettings, pins: ServerPins): Promise<void> {
    try {
      seen.set(name, toState(await writePrivateFile(toPath(name), writePins(pins))));
    } catch (cause) {
      throw unwritableFileError(name, cause);
    }
  }

  return {
    async read(settings) {
      const { name } = settings;
      await ignoreRejection(writing.get(name), "whoever wrote gets the error");
      try {
        const { text, state } = await readPrivateFile(toPath(name), longestFile);
        seen.set(name, toState(state));
        const pins = readPins(text ?? "");
        if (pins === undefined) return { pins, problem: describeUnreadable(name) };
        return { pins: pins.origin === toServerOrigin(settings) ? pins : undefined, problem: undefined };
      } catch (thrown) {
        if (isMissing(thrown)) seen.set(name, missing);
        return { pins: undefined, problem: isMissing(thrown) ? undefined : describeUnreadable(name, thrown) };
      }
    },
    write(settings, pins) {
      const before = writing.get(settings.name);
      const mine =
        before === undefined
          ? write(settings, pins)
          : ignoreRejection(before, "whoever wrote gets the error").then(() => write(settings, pins));
      writing.set(settings.name, mine);
      return mine;
    },
    async hasChanged({ name }) {
      await ignoreRejection(writing.get(name), "whoever wrote gets the error");
      try {
        // It is a small file beside the store, and to look at it in another thread takes longer than the look.
        const state = toState(statSync(toPath(name), { bigint: true }));
        return state !== seen.get(name);
      } catch (thrown) {
        return isMissing(thrown) && (seen.get(name) ?? missing) !== missing;
      }
    },
  };
}

const missing = "missing";

/**
 * Returns a file name that every file system accepts. A server's name may have any characters, and may differ from another only
 * in case.
 */
function toFile(server: string): string {
  const stem = server.toLowerCase().replace(/[^a-z0-9_-]+/g, "_");
  const digest = createHash("sha256").update(server).digest("hex");
  return `${stem.slice(0, 40)}-${digest.slice(0, 16)}.json`;
}

function toState({ ino, mtimeNs, size }: { ino: bigint; mtimeNs: bigint; size: bigint }): string {
  return [ino, mtimeNs, size].join(":");
}

function isMissing(thrown: unknown): boolean {
  return isRecord(thrown) && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR");
}

function describeUnreadable(name: string, thrown?: unknown): Text {
  const server = sanitizeLine(name);
  const why = thrown === undefined ? undefined : sanitizeLine(getMessage(thrown));
  return {
    zh: `已批准的 ${server} 工具的记录${why === undefined ? "已损坏" : `无法读取（${why}）`}，它的工具需要重新批准`,
    en: `The record of approved tools of ${server} ${why === undefined ? "is damaged" : `cannot be read (${why})`}; its tools have to be approved again`,
  };
}

function unwritableFileError(name: string, cause: unknown): DuetError {
  const server = sanitizeLine(name);
  const why = sanitizeLine(getMessage(cause));
  return new DuetError({
    code: "internal",
    text: {
      zh: `无法保存已批准的 ${server} 工具：${why}`,
      en: `The approved tools of ${server} cannot be saved: ${why}`,
    },
    cause,
  });
}
