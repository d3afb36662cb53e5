import { parseEnv } from "node:util";
import { isRecord } from "../../kit/json.ts";
import { getValue, type Path, renderPath } from "../sources/setting-path.ts";
import { listInnerLeaves, listLeaves } from "../sources/source.ts";
import { isDangerousVariable } from "./dangerous-variables.ts";
import { maskNamed, maskVariable } from "./mask-preview.ts";
import { maskArguments } from "./mask-words.ts";

/**
 * Describes one thing that a configuration would start, call, read or load: a key and a value in the form of `written`, in which
 * secrets are masked.
 */
export interface TrustPreviewItem {
  key: string;
  value: string;
  /** Is true for a variable that can make the program that gets it run other code. */
  isDangerous?: true;
}

/** Previews a configuration file of any shape, before anything in it is trusted. */
export function previewFile(tree: unknown): TrustPreviewItem[] {
  const servers = ["mcpServers", "servers"].flatMap((root) => {
    const entries = getValue(tree, [root]);
    return Object.keys(isRecord(entries) ? entries : {}).flatMap((name) => listServerItems(tree, [root, name]));
  });
  const agents = getValue(tree, ["agents"]);
  const programs = Object.entries(isRecord(agents) ? agents : {}).flatMap(([name, agent]) =>
    isRecord(agent) && agent.acp !== undefined ? listServerItems(tree, ["agents", name, "acp"]) : [],
  );
  const others = listInnerLeaves(tree).filter((path) => telling.test(renderPath(path)));
  return [...servers, ...programs, ...others.map((path) => toItemAt(tree, path))];
}

/** Lists every variable of a `.env` file. `configuration` is the text of the file beside it. */
export function previewDotEnv(text: string, configuration: string): TrustPreviewItem[] {
  return Object.entries(parseEnv(text)).map(([key, value = ""]) =>
    toItem(key, toWritten(maskVariable(key, value, configuration)), isDangerousVariable(key)),
  );
}

/** Matches the keys outside of servers that set what is called, read, loaded or permitted. */
const telling =
  /^(?!mcpServers|servers|agents\.[^.]+\.acp)(?:(?:email|web|tools|hooks|prompts|serve|network)\b|.*(?:url|key|keyEnv|keyCommand|provider|module|directory|proxy|fallbacks\[\d+\])$)/i;

function listServerItems(tree: unknown, path: Path): TrustPreviewItem[] {
  const entry = getValue(tree, path);
  if (!isRecord(entry)) return [toItemAt(tree, path)];
  const { command, args = [], disabled, enabled, ...rest } = entry;
  if (disabled === true || enabled === false) return [{ key: renderPath(path), value: "-" }];
  const words = [command, ...(Array.isArray(args) ? args : [args])].filter((word) => word !== undefined);
  const started = words.length === 0 ? [] : [{ key: renderPath(path), value: renderCommand(words) }];
  const others = Object.entries(rest).flatMap(([key, value]) => listLeaves(value, [...path, key]));
  return [...started, ...others.map((each) => toItemAt(tree, each))];
}

function toItemAt(tree: unknown, path: Path): TrustPreviewItem {
  const [holder, name] = path.slice(-2);
  const isDangerous = holder === "env" && isDangerousVariable(String(name));
  return toItem(renderPath(path), renderAt(tree, path), isDangerous);
}

/** Renders the value at this path as it is written, with secrets masked. */
export function renderAt(tree: unknown, path: Path): string {
  const value = getValue(tree, path);
  return toWritten(typeof value === "string" ? maskAt(path, value) : value);
}

/** Renders a program and its arguments, with secrets masked. */
export function renderCommand(words: readonly unknown[]): string {
  return maskWords(words).map(toWritten).join(" ");
}

function maskAt(path: Path, value: string): string {
  const holder = path.at(-2);
  return maskNamed(String(path.at(-1)), value, holder === "env" || holder === "headers" ? holder : "setting");
}

/** Masks texts only: what else stands among the words of a command is shown as it is written. */
function maskWords(words: readonly unknown[]): unknown[] {
  const masked = maskArguments(words.map((word) => (typeof word === "string" ? word : "")));
  return words.map((word, index) => (typeof word === "string" ? masked[index] : word));
}

function toItem(key: string, value: string, isDangerous: boolean): TrustPreviewItem {
  return isDangerous ? { key, value, isDangerous } : { key, value };
}

/** Returns a word as it is when it cannot be misread, else as JSON. */
export function toWritten(value: unknown): string {
  if (typeof value === "string" && /^[\p{L}\p{N}@%+=:,./_…-]+$/u.test(value)) return value;
  return JSON.stringify(value) ?? "";
}
