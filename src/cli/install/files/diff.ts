import {
  findAddressSecrets,
  findArgumentSecrets,
  hideSecrets,
  isSecretName,
  maskSecret,
  shortestSecret,
} from "../../../config/secrets/mask.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import { type ChangedLine, matchLines } from "../../../kit/text/match-lines.ts";
import { sanitize } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import { splitByteOrderMark } from "./file-format.ts";

const around = 3;
const longestLine = 160;

/**
 * Renders a change to a file as a unified diff with one hunk: up to three lines of context, long lines cut, no secrets. Returns
 * an empty string when the texts are the same.
 */
export function createDiff(file: string, before: string, after: string, trees: readonly unknown[]): string {
  if (before === after) return "";
  const lines = matchLines(splitLines(before), splitLines(after));
  const isChanged = ({ sign }: ChangedLine): boolean => sign !== " ";
  const [first, last] = [lines.findIndex(isChanged), lines.findLastIndex(isChanged)];
  const from = Math.max(0, (first < 0 ? lines.length : first) - around);
  const changed = lines.slice(from, first < 0 ? undefined : last + 1 + around).map(({ sign, text }) => sign + text);
  const count = (mark: string): number => changed.filter((line) => line[0] === " " || line[0] === mark).length;
  const where = `@@ -${renderPosition(from, count("-"))} +${renderPosition(from, count("+"))} @@`;
  const hide = createSecretMask(trees);
  const shown = changed.map((line) => truncate(sanitize(hideSecrets(hide(line), [])), longestLine));
  return `${[`--- ${before === "" ? "/dev/null" : file}`, `+++ ${file}`, where, ...shown].join("\n")}\n`;
}

function renderPosition(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`;
}

function splitLines(text: string): string[] {
  const { bare } = splitByteOrderMark(text);
  return bare === "" ? [] : bare.replace(/\r?\n$/, "").split(/\r?\n/);
}

/**
 * Masks what the files hold of secrets: variables and headers of servers, values under telling names, what in addresses may let
 * somebody in, keys and headers among arguments.
 */
function createSecretMask(trees: readonly unknown[]): (line: string) => string {
  const found = trees.flatMap((tree) => listSecrets(tree, ""));
  // TOML has texts of several lines.
  const secrets = [...new Set(found.flatMap((secret) => [secret, ...secret.split(/\r?\n/)]))].filter(Boolean);
  const longestFirst = secrets.sort((a, b) => b.length - a.length);
  return (line) =>
    longestFirst.reduce((rest, secret) => {
      const quoted = JSON.stringify(secret);
      // Short ones are too common to be looked for without their quotes.
      const isShort = secret.length < shortestSecret;
      const forms = isShort ? [quoted, `'${secret}'`] : [quoted.slice(1, -1), secret];
      const shown = isShort ? JSON.stringify(maskSecret(secret)) : maskSecret(secret);
      const hidden = forms.reduce((now, form) => now.replaceAll(form, () => shown), rest);
      // YAML needs no quotes.
      const end = `: ${secret}`;
      return isShort && hidden.trimEnd().endsWith(end)
        ? `${hidden.trimEnd().slice(0, -secret.length)}${shown}`
        : hidden;
    }, line);
}

function listSecrets(value: unknown, name: string): string[] {
  if (typeof value === "string")
    return isSecretName(name) ? [value] : [...findAddressSecrets(value), ...findHeaderSecrets(value)];
  if (Array.isArray(value))
    return [...findArgumentSecrets(value.map(toText)), ...value.flatMap((item) => listSecrets(item, ""))];
  if (!isRecord(value)) return [];
  const isHidden = /^(env|envs|environment|headers|http_headers)$/.test(name);
  return Object.entries(value).flatMap(([key, item]) => (isHidden ? [toText(item)] : listSecrets(item, key)));
}

/** Finds values of headers that are written as one text: `Authorization: Bearer …`. */
function findHeaderSecrets(text: string): string[] {
  const [, name = "", value] = /^(?:--?[\w-]+=)?([\w-]+):\s*(.+)$/s.exec(text) ?? [];
  return value !== undefined && isSecretName(name) ? [value] : [];
}
