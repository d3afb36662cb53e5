import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { ServerSettings } from "../../config/config.ts";
import type { FindRecords } from "../../core/store/shared-records.ts";
import type { ToolAnnotations } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import { isDeeperThan, isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { readPrivateFile, writePrivateFile } from "../../kit/private-file.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { schemaDepthLimit } from "../limits.ts";
import type { RemoteTool } from "../lists/listing.ts";
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

/** Reads the pins from the text of a file. Returns undefined for a text that `writePins` did not write. */
export function readPins(text: string): ServerPins | undefined {
  const value = parseText(text);
  if (!isRecord(value) || value.version !== 1 || typeof value.origin !== "string") return undefined;
  if (!Array.isArray(value.tools)) return undefined;
  const tools = value.tools.map(readTool);
  if (!tools.every((tool) => tool !== undefined)) return undefined;
  const { era } = value;
  const approved = readNames(value.approved);
  const lastListing = readLastListing(value.lastListing);
  const texts = readTexts(value.texts);
  const offered = readOffered(value.offered);
  if (texts === undefined) return undefined;
  return {
    origin: value.origin,
    ...((era === "legacy" || era === "modern") && { era }),
    tools,
    ...(lastListing && { lastListing }),
    ...(approved.length > 0 && { approved }),
    ...(Object.keys(texts).length > 0 && { texts }),
    ...(offered.length > 0 && { offered }),
  };
}

function writePins({ origin, era, tools, lastListing, approved, texts, offered }: ServerPins): string {
  return `${JSON.stringify({ version: 1, origin, era, tools, lastListing, approved, texts, offered })}\n`;
}

/** Files of older versions have none, so that a question waits for the next list. */
function readLastListing(value: unknown): ServerPins["lastListing"] {
  if (!isRecord(value) || typeof value.at !== "number" || !Array.isArray(value.pagesOnly)) return undefined;
  return { at: value.at, pagesOnly: readNames(value.pagesOnly) };
}

/** Returns undefined for texts that `writePins` did not write: what was approved is then unknown. */
function readTexts(value: unknown): ServerPins["texts"] | undefined {
  const texts: ServerPins["texts"] = {};
  for (const list of textLists) {
    const entries = isRecord(value) ? value[list] : undefined;
    if (entries === undefined) continue;
    const read = Array.isArray(entries) ? entries.map(readTool) : [undefined];
    if (!read.every((entry) => entry !== undefined)) return undefined;
    texts[list] = read;
  }
  return texts;
}

/** Leaves out what cannot be read, because whoever offers it writes it again. */
function readOffered(value: unknown): OfferedDefinition[] {
  return (Array.isArray(value) ? value : []).flatMap((each) => {
    const tool = isRecord(each) ? readTool(each.tool) : undefined;
    if (!isRecord(each) || tool === undefined || typeof each.owner !== "string") return [];
    const list = textLists.find((name) => name === each.list);
    return [{ owner: each.owner, ...(list && { list }), tool }];
  });
}

/** Files of older versions have no names, so the tools approved then count as trusted on first use. */
function readNames(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readTool(value: unknown): RemoteTool | undefined {
  if (!isRecord(value)) return undefined;
  const { name, description, inputSchema, outputSchema, annotations } = value;
  if (typeof name !== "string" || typeof description !== "string") return undefined;
  if (!isSchema(inputSchema) || !(outputSchema === undefined || isSchema(outputSchema))) return undefined;
  const hints = readAnnotations(annotations);
  if (hints === undefined) return undefined;
  return { name, description, inputSchema, ...(outputSchema && { outputSchema }), annotations: hints };
}

function isSchema(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !isDeeperThan(value, schemaDepthLimit);
}

function readAnnotations(value: unknown): ToolAnnotations | undefined {
  if (!isRecord(value)) return undefined;
  const { title, titleHint, readOnly, destructive, idempotent, openWorld } = value;
  const flags = { readOnly, destructive, idempotent, openWorld };
  if (!isOptionalText(title) || !isOptionalText(titleHint) || !hasFlags(flags)) return undefined;
  return { ...(title !== undefined && { title }), ...(titleHint !== undefined && { titleHint }), ...flags };
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function hasFlags<K extends string>(flags: Record<K, unknown>): flags is Record<K, boolean | undefined> {
  return Object.values(flags).every((flag) => flag === undefined || typeof flag === "boolean");
}

/** Stores the tools of a server that were seen and approved, from one start to the next (trust on first use). */
export interface ServerPins {
  /** Identifies the program or address of these pins by a digest of its command and arguments, or of its URL. */
  origin: string;
  /** Holds the protocol era of the last connection, so that it need not be probed again. */
  era?: "legacy" | "modern";
  /** Lists the approved tools in the server's order. A lazy server offers them before it has started. */
  tools: RemoteTool[];
  lastListing?: LastListing;
  /** Names the tools whose definition a person has read and approved. The others were trusted on first use. */
  approved?: string[];
  /** Holds the approved texts of prompts and resources, as `toTexts` makes them. */
  texts?: Partial<Record<TextList, RemoteTool[]>>;
  /** Lists what running processes were offered and nobody has approved, so that another process can ask a person. */
  offered?: OfferedDefinition[];
}

/** Holds what the server last said of its tools beside their definitions. */
export interface LastListing {
  /** Is the time in milliseconds since 1970, correct to an hour. */
  at: number;
  /** Names the tools that only the pages of the server may call. */
  pagesOnly: string[];
}

/** Names a list whose entries have texts that a model may see. */
export type TextList = (typeof textLists)[number];

export const textLists = ["prompts", "resources", "templates"] as const;

export interface OfferedDefinition {
  /** Begins with the number of the process. */
  owner: string;
  /** Is absent for a tool. */
  list?: TextList;
  tool: RemoteTool;
}

export interface WaitingTool {
  /** Says that this is no tool but the texts of an entry of that list. */
  list?: TextList;
  /** A `trusted` tool may be used although no person has approved it so far. */
  kind: "changed" | "new" | "trusted";
  tool: RemoteTool;
  /** Holds the definition that was approved before, and is absent for a new tool. */
  pinned?: RemoteTool;
}

export interface PinCheck {
  /** Lists the tools in the order of the server's list. */
  usable: RemoteTool[];
  waiting: WaitingTool[];
  /** Holds the pins from now on. It is the same object when nothing has to be stored. */
  pins: ServerPins;
}
