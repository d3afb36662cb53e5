import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import type { Host } from "../hosts.ts";
import { type Change, type FileFormat, FormatError } from "./form.ts";
import { hostFileError } from "./host-file-error.ts";
import { jsonForm } from "./json-form.ts";
import { tomlForm } from "./toml-form.ts";

const forms: Readonly<Record<Host["form"], FileFormat>> = { json: jsonForm, toml: tomlForm };

/** The servers in a host's file, by name. Throws one line where it cannot be read as what it should be. */
export function readServers(host: Host, file: string, text: string): Record<string, unknown> {
  return serversOf(parsed(host, file, text), host, file);
}

/** The text in which the entry says what it should. Throws one line where that cannot be done without changing anything else. */
export function editServers(host: Host, file: string, text: string, asked: Omit<Change, "key">): string {
  const before = parsed(host, file, text);
  const form = forms[host.form];
  const change = { key: host.key, ...asked };
  try {
    const after = form.edit(text, change);
    if (isOnlyChange(before, form.parse(after), change)) return after;
  } catch {
    // What could not be edited is said below.
  }
  throw hostFileError(file, hindranceOf(form, text, change) ?? unfit(change.name));
}

function hindranceOf(form: FileFormat, text: string, change: Change): Text | undefined {
  try {
    return form.hindrance(text, change);
  } catch {
    return undefined;
  }
}

const unfit = (name: string): Text => ({
  zh: `${name} 的写法无法在不影响其他内容的情况下修改，请手动修改`,
  en: `the way ${name} is written cannot be changed without touching anything else: change it by hand`,
});

function parsed({ form }: Host, file: string, text: string): unknown {
  try {
    return forms[form].parse(text);
  } catch (thrown) {
    const name = form.toUpperCase();
    throw hostFileError(
      thrown instanceof FormatError ? `${file}:${thrown.line}:${thrown.column}` : file,
      { zh: `不是有效的 ${name}，未做修改`, en: `is not valid ${name}, and is left as it is` },
      thrown,
    );
  }
}

function serversOf(tree: unknown, { key }: Host, file: string): Record<string, unknown> {
  if (!isRecord(tree))
    throw hostFileError(file, { zh: "不是对象，未做修改", en: "holds no object, and is left as it is" });
  const servers = tree[key] ?? {};
  if (isRecord(servers)) return servers;
  throw hostFileError(file, { zh: `${key} 不是对象，未做修改`, en: `${key} is no object: the file is left as it is` });
}

function isOnlyChange(before: unknown, after: unknown, { key, name, entry }: Change): boolean {
  if (!isRecord(before) || !isRecord(after)) return false;
  const servers = after[key];
  const now = isRecord(servers) ? servers[name] : undefined;
  return isDeepStrictEqual(toPlainObject(now), toPlainObject(entry)) && isDeepStrictEqual(rest(before), rest(after));

  function rest(tree: Record<string, unknown>): unknown {
    const { [name]: _, ...others } = isRecord(tree[key]) ? tree[key] : {};
    return toPlainObject({ ...tree, [key]: others });
  }
}

/** The same without the parsers' own kinds of objects. */
export function toPlainObject(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlainObject);
  if (value instanceof Date || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlainObject(item)]));
}
