import { createHash } from "node:crypto";

export interface ToolOrigin {
  server: string;
  tool: string;
}

/** Maps the tools of a pool to unique names of the form `server__tool`, and maps these names back. */
export interface ToolNames {
  /** Returns always the same name for the same origin. */
  nameOf(server: string, tool: string): string;
  originOf(name: string): ToolOrigin | undefined;
}

const longest = 64;
const hashLength = 10;
const serverStem = 28;

/**
 * Most names need no table: when the server's name has no `__` and does not end in `_`, the first `__` is the separator. Any
 * other name ends with `--` and a hash, which a plain name never does.
 */
export function createToolNames(): ToolNames {
  const names = new Map<string, string>();
  const origins = new Map<string, ToolOrigin>();

  function assignName(server: string, tool: string): string {
    const plain = toPlainName(server, tool);
    if (plain !== undefined) return plain;
    for (let salt = 0; ; salt += 1) {
      const name = toHashedName(server, tool, salt);
      if (!origins.has(name)) return name;
    }
  }

  return {
    nameOf(server, tool) {
      const key = JSON.stringify([server, tool]);
      const known = names.get(key);
      if (known !== undefined) return known;
      const name = assignName(server, tool);
      names.set(key, name);
      origins.set(name, { server, tool });
      return name;
    },
    originOf: (name) => origins.get(name),
  };
}

/** Says whether a tool of this server may have this name. */
export function isPossibleName(name: string, server: string): boolean {
  return name.startsWith(`${server}__`) || hashedName.test(name);
}

/**
 * Lists what the names of a server's tools may begin with. The server's own name is among it also where it is too long for that or has
 * other characters, because a model may write it so.
 */
export function listNamePrefixes(server: string): string[] {
  return [...new Set([`${server}__`, toHashedPrefix(server)])];
}

const hashedName = /--[0-9a-f]{10}$/;

function toPlainName(server: string, tool: string): string | undefined {
  if (!/^[a-zA-Z0-9_-]*[a-zA-Z0-9-]$/.test(server) || server.includes("__")) return undefined;
  if (!/^[a-zA-Z0-9_-]+$/.test(tool) || hashedName.test(tool)) return undefined;
  const name = `${server}__${tool}`;
  return name.length <= longest ? name : undefined;
}

function toHashedName(server: string, tool: string, salt: number): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([server, tool, salt]))
    .digest("hex")
    .slice(0, hashLength);
  const stem = toHashedPrefix(server) + cleanName(tool);
  return `${stem.slice(0, longest - hashLength - 2)}--${hash}`;
}

function toHashedPrefix(server: string): string {
  return `${cleanName(server).slice(0, serverStem)}__`;
}

function cleanName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, "_");
}
