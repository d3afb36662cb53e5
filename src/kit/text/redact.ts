import { isRecord } from "../json.ts";

/** Replaces secrets by `[redacted NAME]`. */
export type Redact = (text: string) => string;

export interface Secret {
  name: string;
  value: string;
}

/** Replaces secrets in a text that comes piece by piece, also where one is split over several pieces. */
export interface RedactedStream {
  /** Returns what can be shown of all that was given. The start of what may become a secret is held back. */
  push(text: string): string;
  /** Returns what is still held back. The stream can be used again for another text. */
  end(): string;
}

export interface Redactor {
  /** Is true when there is nothing to replace, and never will be. */
  readonly isEmpty: boolean;
  /** Replaces this one from now on, too. It has no effect where none was to be added. */
  add(secret: Secret): void;
  readonly redact: Redact;
  openStream(): RedactedStream;
}

/** Shorter spellings are too common in ordinary text to be replaced. */
const shortest = 6;

/**
 * Replaces the given secrets in all their spellings, the longest one where several begin at the same place. A text is walked once,
 * however many secrets there are. With `mayGrow`, more may be added later.
 */
export function createRedactor(secrets: readonly Secret[], mayGrow = false): Redactor {
  const known = secrets.filter(({ value }) => value.length >= shortest);
  let built: Spellings | undefined;

  /** Returns what is safe to show, and what may yet become a secret where the text goes on. */
  function replaceForms(text: string, isWhole: boolean): { shown: string; held: string } {
    if (known.length === 0) return { shown: text, held: "" };
    // There are hundreds of them, and a start of the program that redacts nothing need not wait for them.
    built ??= listSpellings(known);
    const { names, starts, firsts } = built;
    let shown = "";
    let from = 0;
    let at = 0;
    while (at < text.length) {
      if (!firsts.has(text.charCodeAt(at))) {
        at += 1;
        continue;
      }
      if (!isWhole && at + 1 === text.length) return { shown: shown + text.slice(from, at), held: text.slice(at) };
      const forms = starts.get(readPair(text, at));
      // The longest comes first: a shorter one at the same place is not replaced while the longer one may still be completed.
      const form = forms?.find((each) => text.startsWith(each, at) || (!isWhole && isCut(text, at, each)));
      if (form === undefined) {
        at += 1;
      } else if (text.startsWith(form, at)) {
        shown += text.slice(from, at) + names.get(form);
        at += form.length;
        from = at;
      } else return { shown: shown + text.slice(from, at), held: text.slice(at) };
    }
    return { shown: from === 0 ? text : shown + text.slice(from), held: "" };
  }

  return {
    isEmpty: known.length === 0 && !mayGrow,
    add(secret) {
      if (!mayGrow || secret.value.length < shortest) return;
      known.push(secret);
      built = undefined;
    },
    redact: (text) => replaceForms(text, true).shown,
    openStream() {
      let held = "";
      return {
        push(text) {
          const scanned = replaceForms(held + text, false);
          held = scanned.held;
          return scanned.shown;
        },
        end() {
          const { shown } = replaceForms(held, true);
          held = "";
          return shown;
        },
      };
    },
  };
}

interface Spellings {
  /** Holds what is shown in place of each spelling. */
  names: ReadonlyMap<string, string>;
  /** Holds the spellings by their first two characters, the longest first. */
  starts: ReadonlyMap<number, readonly string[]>;
  /** Holds their first characters. */
  firsts: ReadonlySet<number>;
}

function listSpellings(secrets: readonly Secret[]): Spellings {
  const names = new Map<string, string>();
  for (const { name, value } of secrets) {
    const shown = `[redacted ${name.replace(/[^\w.-]/g, "_")}]`;
    for (const form of listForms(value)) if (!names.has(form)) names.set(form, shown);
  }
  const starts = new Map<number, string[]>();
  for (const form of [...names.keys()].sort((a, b) => b.length - a.length)) {
    const start = readPair(form, 0);
    starts.set(start, [...(starts.get(start) ?? []), form]);
  }
  return { names, starts, firsts: new Set([...names.keys()].map((form) => form.charCodeAt(0))) };
}

function readPair(text: string, at: number): number {
  return text.charCodeAt(at) * 0x1_00_00 + text.charCodeAt(at + 1);
}

/** Returns true when the text ends in the middle of this spelling. */
function isCut(text: string, at: number, form: string): boolean {
  const rest = text.length - at;
  return rest < form.length && form.startsWith(text.slice(at));
}

/** Redacts a JSON value: keys, strings and numbers. Returns the same value where it holds no secret. */
export function redactValue<T>(value: T, redact: Redact): T;
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value === "number") {
    const text = String(value);
    const cleaned = redact(text);
    return cleaned === text ? value : cleaned;
  }
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item: unknown) => redactValue(item, redact));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const cleaned = entries.map(([key, inner]): [string, unknown] => [redact(key), redactValue(inner, redact)]);
  const isSame = cleaned.every(([key, inner], index) => key === entries[index]?.[0] && inner === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(cleaned);
}

/** Returns the spellings of a value in URLs, JSON, base64 and hexadecimal. */
export function listForms(value: string): Set<string> {
  const bytes = Buffer.from(value, "utf8");
  const base64 = listBase64Forms(bytes);
  const percent = listPercentForms(value.toWellFormed());
  const hex = bytes.toString("hex");
  return new Set([
    value,
    ...percent,
    ...percent.map((form) => form.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())),
    JSON.stringify(value).slice(1, -1),
    ...listEscapedForms("%", hex.match(/../g) ?? []),
    ...listEscapedForms("\\u", listCodeUnits(value)),
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

/** Returns the spellings in which every character is escaped, with digits of either case. */
function listEscapedForms(sign: string, digits: readonly string[]): string[] {
  return [digits, digits.map((each) => each.toUpperCase())].map((each) => sign + each.join(sign));
}

function listCodeUnits(value: string): string[] {
  return value.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
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
