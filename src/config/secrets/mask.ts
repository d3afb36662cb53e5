import { isRecord } from "../../kit/json.ts";
import { hidePassword, isDatabaseAddress } from "../schema/database-address.ts";
import type { Path } from "../sources/setting-path.ts";

/** Shorter texts are too common to be searched for in other texts. */
export const shortestSecret = 8;

const longestShown = 80;
/** Limits what of a text is looked at for what an error shows of it. */
const longestRead = 4000;
const longBase64 = /^(?:data:[^,]{0,100},)?[\w+/-]{100}/;

/** Masks a secret and keeps at most its last four characters. Nothing of a short secret is kept. */
export function maskSecret(secret: string): string {
  if (secret.length < 16) return "…";
  const prefix = /^(?:sk-|tvly-)/.exec(secret)?.[0] ?? "";
  return `${prefix}…${secret.slice(-4)}`;
}

/** Returns true for a text that is a key of a well-known form, whatever it is called. */
export function isKnownKey(text: string): boolean {
  return knownKey.test(text);
}

const keyStarts = "sk-|tvly-|gh[opsu]_|github_pat_|xox[abp]-|hf_|AIza";
const knownKey = new RegExp(`^(?:${keyStarts})(?=[\\w-]*\\d)(?=[\\w-]*[a-zA-Z])[\\w-]{16,}$`);

export function isSecretName(name: string): boolean {
  return /(?:key|token|secret|password|passwd|passphrase|credentials?|authorization|cookie)$/i.test(name);
}

/** Returns the address without possible credentials: user and password, query values, segments that look like tokens. */
export function maskAddress(address: string): string {
  const parts = /^(https?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(address);
  if (parts === null) return maskSecret(address);
  const [, scheme, user, host, path = "", query = "", hash] = parts;
  const segments = path.split("/").map((segment) => (isRandom(segment) ? maskSecret(segment) : segment));
  const shownQuery = query.replace(/=([^&]*)/g, (_, value: string) => `=${maskSecret(value)}`);
  return `${scheme}${user ? "…@" : ""}${host}${segments.join("/")}${shownQuery}${hash ? "#…" : ""}`;
}

/** Returns the address of a proxy without its credentials, in whatever form it is written. */
export function maskProxy(address: string): string {
  return address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, "$1…@");
}

/** Returns the possible credentials in an address, as written and decoded. A text that is no address has none. */
export function findAddressSecrets(address: string): string[] {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(address) || !URL.canParse(address)) return [];
  const url = new URL(address);
  // Of other schemes nothing but the password is known to be one.
  if (!/^https?:$/.test(url.protocol)) return url.password === "" ? [] : [url.password, decodePart(url.password)];
  const query = url.search
    .slice(1)
    .split("&")
    .map((pair) => pair.slice(pair.indexOf("=") + 1));
  const segments = url.pathname.split("/").filter(isRandom);
  const parts = [url.username, url.password, ...query, ...segments, url.hash.slice(1)];
  return parts.filter((part) => part !== "").flatMap((part) => [part, decodePart(part)]);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isRandom(text: string): boolean {
  return /^[\w.~%=+-]{20,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text);
}

/** Masks every known secret in the text, and every value that looks like one (`sk-...`, `"api_key": "..."`, `//user:...@`). */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const findable = secrets.filter((secret) => secret.length >= shortestSecret);
  const known = findable.reduce((rest, secret) => rest.replaceAll(secret, () => maskSecret(secret)), text);
  return [wellKnown, assigned, userinfo].reduce(
    (rest, written) => rest.replace(written, (_, before: string, secret: string) => before + maskSecret(secret)),
    known,
  );
}

const wellKnown = new RegExp(`(\\bBearer |(?<![A-Za-z0-9]))((?:${keyStarts})[\\w-]{8,})`, "g");
const userinfo = /(\b[a-z][a-z\d+.-]*:\/\/[^\s/:@"'<>]*:)([^\s/"'<>…]+)(?=@)/gi;
const assigned = /((?:key|token|secret|password)["']?\s*[:=]\s*["']?)([^\s"',}&…]{4,})/gi;

/** Lists the groups whose entries hold values that may be secrets, and where they do. */
const groupsWithHeaders = new Set(["mcpServers", "servers", "providers"]);
const headerGroups = new Set(["env", "headers", "query"]);

/** Returns the printable form of a text at `path` of the configuration. */
function maskText(path: Path, text: string, secrets: readonly string[]): string {
  const name = String(path.findLast((step) => typeof step === "string") ?? "");
  const isOfAgent = path[0] === "agents" && path[2] === "acp" && path[3] === "env";
  const isHeader = (groupsWithHeaders.has(String(path[0])) && headerGroups.has(String(path[2]))) || isOfAgent;
  if (isHeader || isSecretName(name)) return maskSecret(text);
  // Who pastes the key itself where its variable's name belongs must not find it in an error.
  if (name === "apiKeyEnv" && /[^A-Z0-9_]/.test(text)) return maskSecret(text);
  if (name === "proxy") return maskProxy(text);
  if (path[0] === "store" && name === "url" && !isDatabaseAddress(text)) return hidePassword(text);
  if (/^https?:/i.test(text)) return maskAddress(text);
  const value = getOptionSecret(text);
  return value === undefined ? hideSecrets(text, secrets) : text.slice(0, -value.length) + maskSecret(value);
}

/** Returns an invalid value in a form that an error may show. Objects and lists are not shown. */
export function maskValue(value: unknown, path: Path, secrets: readonly string[]): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : "[…]";
  if (typeof value === "object" && value !== null) return "{…}";
  // The bytes of a file say nothing to a reader.
  if (typeof value === "string" && longBase64.test(value.slice(0, 400))) return JSON.stringify("…");
  const text = maskText(path, String(value).slice(0, longestRead), secrets);
  if (typeof value !== "string") return text;
  return JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text);
}

export function maskTree(tree: unknown, secrets: readonly string[], path: Path = []): unknown {
  if (typeof tree === "string") return maskText(path, tree, secrets);
  if (Array.isArray(tree)) {
    return tree.map((item, index) =>
      typeof item === "string" && isSecretOption(tree[index - 1])
        ? maskSecret(item)
        : maskTree(item, secrets, [...path, index]),
    );
  }
  if (!isRecord(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [key, maskTree(value, secrets, [...path, key])]),
  );
}

/** Returns the secrets among a program's arguments: `--api-key VALUE`, `--api-key=VALUE`, and those of addresses. */
export function findArgumentSecrets(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const value = isSecretOption(args[index - 1]) ? argument : getOptionSecret(argument);
    return value === undefined ? findAddressSecrets(argument) : [value];
  });
}

function isSecretOption(argument: unknown): boolean {
  return typeof argument === "string" && argument.startsWith("-") && isSecretName(argument);
}

function getOptionSecret(argument: string): string | undefined {
  const [, name = "", value] = /^(--?[\w-]+)=(.+)$/s.exec(argument) ?? [];
  return isSecretName(name) ? value : undefined;
}
