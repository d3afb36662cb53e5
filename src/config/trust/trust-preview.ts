import { parseEnv } from "node:util";
import { isRecord } from "../../kit/json.ts";
import { getValue, type Path, renderPath } from "../sources/setting-path.ts";
import { listLeaves } from "../sources/source.ts";
import { isDangerousVariable } from "./dangerous-variables.ts";

/** What a configuration would start, call, read or load, word for word as written: a key and a value as `written` gives it. */
export interface TrustPreviewItem {
  key: string;
  value: string;
  /** Whether it is a variable that can make the program that gets it run other code. */
  isDangerous?: true;
}

/**
 * Of a configuration file, before anything in it is believed: whatever its shape. Nothing is masked: the file is somebody
 * else's, and what would be hidden as a secret may be code.
 */
export function previewFile(tree: unknown): TrustPreviewItem[] {
  const servers = ["mcpServers", "servers"].flatMap((root) => {
    const entries = getValue(tree, [root]);
    return Object.keys(isRecord(entries) ? entries : {}).flatMap((name) => toldByServer(tree, [root, name]));
  });
  const others = listLeaves(tree).filter((path) => telling.test(renderPath(path)));
  return [...servers, ...others.map((path) => toldAt(tree, path))];
}

/** Of a `.env` file: every variable. */
export function previewDotEnv(text: string): TrustPreviewItem[] {
  return Object.entries(parseEnv(text)).map(([key, value]) => told(key, written(value), isDangerousVariable(key)));
}

/** Keys outside of servers that say what is called, read, loaded or let through. */
const telling =
  /^(?!mcpServers|servers)(?:(?:email|web|tools|prompts|serve)\b|.*(?:url|key|keyEnv|provider|module|directory)$)/i;

function toldByServer(tree: unknown, path: Path): TrustPreviewItem[] {
  const entry = getValue(tree, path);
  if (!isRecord(entry)) return [toldAt(tree, path)];
  const { command, args = [], disabled, enabled, ...rest } = entry;
  if (disabled === true || enabled === false) return [{ key: renderPath(path), value: "-" }];
  const words = [command, ...(Array.isArray(args) ? args : [args])].filter((word) => word !== undefined);
  const started = words.length === 0 ? [] : [{ key: renderPath(path), value: words.map(written).join(" ") }];
  const others = Object.entries(rest).flatMap(([key, value]) => listLeaves(value, [...path, key]));
  return [...started, ...others.map((each) => toldAt(tree, each))];
}

function toldAt(tree: unknown, path: Path): TrustPreviewItem {
  const isDangerous = path[2] === "env" && isDangerousVariable(String(path[3]));
  return told(renderPath(path), written(getValue(tree, path)), isDangerous);
}

function told(key: string, value: string, isDangerous: boolean): TrustPreviewItem {
  return isDangerous ? { key, value, isDangerous } : { key, value };
}

/** A word as it is where nothing in it could be misread, else as JSON. */
function written(value: unknown): string {
  if (typeof value === "string" && /^[\p{L}\p{N}@%+=:,./_-]+$/u.test(value)) return value;
  return JSON.stringify(value) ?? "";
}
