import type { ServerSettings } from "../config/config.ts";
import { isRecord } from "../kit/json.ts";

/** Replaces the secrets of one server by `[redacted NAME]`. */
export type Redact = (text: string) => string;

interface Secret {
  name: string;
  value: string;
}

/** Shorter values are too common in ordinary text to be replaced. */
const shortest = 6;

// Settings that are no secrets and whose values are ordinary words or paths, such as NODE_ENV=production.
const harmlessVariable =
  /(^|_)(PATH|DIR|DIRECTORY|FOLDER|FILE|HOME|HOST|PORT|LEVEL|MODE|ENV|LANG|LANGUAGE|LOCALE|TZ|REGION|FORMAT|DEBUG|TIMEOUT|MODEL|VERSION)$|^LC_/i;
const harmlessHeader = /^(accept.*|content-.*|user-agent|origin|referer|host|cache-control|mcp-.*)$/i;
export const secretWord = /key|token|secret|pass|auth|sig|cred|^ak$|^sk$|^code$|^pat$/i;

/** Learns the secrets that the configuration of a server holds. */
export function createRedactor(settings: ServerSettings): Redact {
  const names = new Map<string, string>();
  for (const { name, value } of listSecrets(settings)) {
    if (value.length < shortest) continue;
    for (const form of listForms(value)) if (!names.has(form)) names.set(form, name);
  }
  // The longest first, so that a value that contains another one is replaced as a whole.
  const forms = [...names].sort(([a], [b]) => b.length - a.length);
  return (text) => {
    let cleaned = text;
    for (const [form, name] of forms) {
      if (cleaned.includes(form)) cleaned = cleaned.replaceAll(form, () => `[redacted ${name}]`);
    }
    return cleaned;
  };
}

/** Extends a redactor by secrets that change, such as the tokens of a sign-in. */
export function extendRedact(redact: Redact, secrets: () => readonly string[]): Redact {
  const known = new Map<string, Set<string>>();
  return (text) => {
    let cleaned = redact(text);
    for (const value of secrets().filter(({ length }) => length >= shortest)) {
      const forms = known.get(value) ?? listForms(value);
      known.set(value, forms);
      for (const form of forms) {
        if (cleaned.includes(form)) cleaned = cleaned.replaceAll(form, () => "[redacted TOKEN]");
      }
    }
    return cleaned;
  };
}

/** Redacts a JSON object: its keys, strings and numbers. Returns the same object when it holds no secret. */
export function redactJson(value: Record<string, unknown>, redact: Redact): Record<string, unknown> {
  const text = JSON.stringify(value);
  return redact(text) === text ? value : redactRecord(value, redact);
}

function redactRecord(value: Record<string, unknown>, redact: Redact): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redact(key), redactValue(inner, redact)]));
}

function redactValue(value: unknown, redact: Redact): unknown {
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (isRecord(value)) return redactRecord(value, redact);
  if (typeof value !== "string" && typeof value !== "number") return value;
  const text = String(value);
  const cleaned = redact(text);
  return cleaned === text ? value : cleaned;
}

function listSecrets({ transport }: ServerSettings): Secret[] {
  const secrets =
    transport.type === "stdio"
      ? [...listEnvironmentSecrets(transport.env), ...listArgumentSecrets(transport.args)]
      : [...listHeaderSecrets(transport.headers), ...listUrlSecrets("URL", transport.url)];
  return secrets.map(({ name, value }) => ({ name: name.replace(/[^\w.-]/g, "_"), value }));
}

function listEnvironmentSecrets(env: Record<string, string>): Secret[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (harmlessVariable.test(name)) return [];
    if (URL.canParse(value) && value.includes("://")) return listUrlSecrets(name, value);
    return [{ name, value }];
  });
}

function listArgumentSecrets(args: string[]): Secret[] {
  return args.flatMap((arg, index) => {
    if (URL.canParse(arg) && arg.includes("://")) return listUrlSecrets("URL", arg);
    const [, flag, inline] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (flag === undefined || !secretWord.test(flag)) return [];
    const value = inline ?? args[index + 1];
    return value === undefined ? [] : [{ name: flag, value }];
  });
}

function listHeaderSecrets(headers: Record<string, string>): Secret[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (harmlessHeader.test(name)) return [];
    const [, credentials] = /^\w+\s+(.+)$/s.exec(value.trim()) ?? [];
    return [{ name, value }, ...(credentials === undefined ? [] : [{ name, value: credentials }])];
  });
}

/** Finds secrets in a URL: a password, a secret parameter, or a path segment that is a token. */
function listUrlSecrets(name: string, text: string): Secret[] {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  const secrets = [{ name, value: decodeText(url.password) }];
  for (const [parameter, value] of url.searchParams) {
    if (secretWord.test(parameter)) secrets.push({ name: parameter, value });
  }
  for (const segment of url.pathname.split("/")) {
    if (segment.length >= 20 && /\d/.test(segment) && /[a-z]/i.test(segment)) {
      secrets.push({ name, value: decodeText(segment) });
    }
  }
  return secrets;
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the spellings of a value in URLs, JSON, base64 and hexadecimal. */
function listForms(value: string): Set<string> {
  const bytes = Buffer.from(value, "utf8");
  const base64 = listBase64Forms(bytes);
  const percent = listPercentForms(value.toWellFormed());
  const hex = bytes.toString("hex");
  return new Set([
    value,
    ...percent,
    ...percent.map((form) => form.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())),
    JSON.stringify(value).slice(1, -1),
    ...base64,
    ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
    hex,
    hex.toUpperCase(),
  ]);
}

/**
 * Returns the URL encodings of a value. `encodeURIComponent` leaves `!'()*` as they are, which RFC 3986 reserves and many
 * libraries encode; forms write a blank as `+` and leave only `*-._`.
 */
function listPercentForms(value: string): string[] {
  const plain = encodeURIComponent(value);
  const strict = plain.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const field = new URLSearchParams([["", value]]).toString().slice(1);
  return [plain, strict, plain.replaceAll("%20", "+"), strict.replaceAll("%20", "+"), field];
}

/**
 * Returns the three spellings that a value has in the middle of other bytes. Their ends depend on the adjacent bytes and are
 * left out.
 */
function listBase64Forms(bytes: Buffer): string[] {
  const whole = bytes.toString("base64").replace(/=+$/, "");
  const inside = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const begins = offset === 0 ? 0 : offset + 1;
    const isWhole = (offset + bytes.length) % 3 === 0;
    return text.slice(begins, isWhole ? undefined : -1);
  });
  return [whole, ...inside.filter(({ length }) => length >= shortest)];
}
