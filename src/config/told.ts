import { parseEnv } from "node:util";
import { isRecord } from "../core/json.ts";
import { isDangerousVariable } from "./dangerous.ts";
import { maskedAt, maskedTree } from "./mask.ts";
import { leaves } from "./merge.ts";
import { pathText, valueAt } from "./path.ts";

/** What a configuration would start, call, read or load, as written: a key and a text, secrets masked. */
export interface Told {
  key: string;
  value: string;
}

/** Of a configuration file, before anything in it is believed: whatever its shape. */
export function toldByFile(tree: unknown): Told[] {
  const shown = maskedTree(tree, []);
  const servers = ["mcpServers", "servers"].flatMap((root) => {
    const entries = valueAt(shown, [root]);
    if (!isRecord(entries)) return [];
    return Object.keys(entries).flatMap((name) => toldByServer(tree, shown, [root, name]));
  });
  const others = leaves(shown).filter(
    (path) => path[0] !== "mcpServers" && path[0] !== "servers" && telling.test(pathText(path)),
  );
  return [...servers, ...others.map((path) => ({ key: pathText(path), value: written(valueAt(shown, path)) }))];
}

/** Of a `.env` file: every variable. */
export function toldByDotEnv(text: string): Told[] {
  return Object.entries(parseEnv(text)).map(([key, value]) => ({ key, value: maskedAt([key], value ?? "", []) }));
}

/** Keys whose values are addresses, folders, modules or patterns that let something through. */
const telling = /(?:url|directory|module|host|hosts|reach|roots|recipients|allow|ask)$/i;

function toldByServer(tree: unknown, shown: unknown, path: readonly string[]): Told[] {
  const entry = valueAt(shown, path);
  if (!isRecord(entry)) return [];
  const { command, args = [], env, disabled, enabled } = entry;
  const isOff = disabled === true || enabled === false;
  const words = [command, ...(Array.isArray(args) ? args : [args])].filter((word) => word !== undefined);
  const started = words.length === 0 ? [] : [{ key: pathText(path), value: words.map(written).join(" ") }];
  const others = ["url", "httpUrl", "cwd", "inheritEnv", "roots"].flatMap((key) =>
    entry[key] === undefined ? [] : [{ key: pathText([...path, key]), value: written(entry[key]) }],
  );
  const variables = Object.keys(isRecord(env) ? env : {}).map((name) => {
    const at = [...path, "env", name];
    return { key: pathText(at), value: written(valueAt(isDangerousVariable(name) ? tree : shown, at)) };
  });
  return isOff ? [{ key: pathText(path), value: "-" }] : [...started, ...others, ...variables];
}

/** A word as it is where nothing in it could be misread, else as JSON. */
function written(value: unknown): string {
  if (typeof value === "string" && /^[\p{L}\p{N}@%+=:,./_…-]+$/u.test(value)) return value;
  return JSON.stringify(value) ?? "";
}
