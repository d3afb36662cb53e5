import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { type Change, type FileFormat, FormatError, splitByteOrderMark } from "./files/file-format.ts";
import { hostFileError } from "./files/host-file.ts";
import { jsonForm } from "./files/json-form.ts";
import { tomlForm } from "./files/toml-form.ts";
import { yamlForm } from "./files/yaml-form.ts";
import type { Host } from "./hosts.ts";

const forms: Readonly<Record<Host["form"], FileFormat>> = {
  json: jsonForm,
  toml: tomlForm,
  yaml: yamlForm,
};

/** Reads the servers in a host's file, by name. Throws a one-line error when the file cannot be read in the expected format. */
export function readServers(host: Host, file: string, text: string): Record<string, unknown> {
  return readServerTree(parseFile(host, file, text), host, file);
}

/**
 * Returns the text with the entry changed as asked, and with the byte order mark that it had. Throws a one-line error when that would
 * change anything else.
 */
export function editServers(host: Host, file: string, text: string, asked: Omit<Change, "key">): string {
  const before = parseFile(host, file, text);
  const form = forms[host.form];
  const change = { key: host.key, ...asked };
  const { mark, bare } = splitByteOrderMark(text);
  try {
    const after = form.edit(bare, change);
    if (isOnlyChange(before, form.parse(after), change)) return mark + after;
  } catch {
    // What could not be edited is said below.
  }
  throw hostFileError(file, findHindrance(form, bare, change) ?? describeUnfit(change.name));
}

function findHindrance(form: FileFormat, text: string, change: Change): Text | undefined {
  try {
    return form.hindrance(text, change);
  } catch {
    return undefined;
  }
}

const describeUnfit = (name: string): Text => ({
  zh: `${name} 的写法无法在不影响其他内容的情况下修改，请手动修改`,
  en: `${name} cannot be changed without affecting other content: edit it by hand`,
});

function parseFile({ form }: Host, file: string, text: string): unknown {
  try {
    return forms[form].parse(splitByteOrderMark(text).bare);
  } catch (thrown) {
    const name = form.toUpperCase();
    throw hostFileError(
      thrown instanceof FormatError ? `${file}:${thrown.line}:${thrown.column}` : file,
      { zh: `不是有效的 ${name}，未做修改`, en: `is not valid ${name}; the file was not changed` },
      thrown,
    );
  }
}

function readServerTree(tree: unknown, { key }: Host, file: string): Record<string, unknown> {
  if (!isRecord(tree))
    throw hostFileError(file, { zh: "不是对象，未做修改", en: "is not an object; the file was not changed" });
  const servers = tree[key] ?? {};
  if (isRecord(servers)) return servers;
  throw hostFileError(file, {
    zh: `${key} 不是对象，未做修改`,
    en: `${key} is not an object; the file was not changed`,
  });
}

function isOnlyChange(before: unknown, after: unknown, { key, name, entry }: Change): boolean {
  if (!isRecord(before) || !isRecord(after)) return false;
  const servers = after[key];
  const now = isRecord(servers) ? servers[name] : undefined;
  return (
    isDeepStrictEqual(toPlainObject(now), toPlainObject(entry)) &&
    isDeepStrictEqual(listOthers(before), listOthers(after))
  );

  function listOthers(tree: Record<string, unknown>): unknown {
    const { [name]: _, ...others } = isRecord(tree[key]) ? tree[key] : {};
    return toPlainObject({ ...tree, [key]: others });
  }
}

/** Copies the value without the parsers' own object types. */
export function toPlainObject(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlainObject);
  if (value instanceof Date || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlainObject(item)]));
}
