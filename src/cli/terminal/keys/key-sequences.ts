import type { Key } from "./key.ts";

/** Holds the modifiers that a terminal sends with a key, between `CSI` and the final character. */
interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** Is true with Super or Hyper: such a key is meant for a window manager and never types a letter. */
  readonly foreign: boolean;
  readonly isRelease: boolean;
}

/** Creates a key by its name, without modifiers unless they are given. */
export function createKey(name: Key["name"], changes: Partial<Omit<Key, "name">> = {}): Key {
  return { name, text: "", ctrl: false, alt: false, shift: false, ...changes };
}

/**
 * Returns the key of `CSI parameters final`, or undefined for anything but a key press, such as a terminal's reply or a key
 * release. It reads sequences of xterm (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html), its modifyOtherKeys, and
 * kitty's keyboard protocol (https://sw.kovidgoyal.net/kitty/keyboard-protocol/).
 */
export function toSequenceKey(parameters: string, final: string): Key | undefined {
  if (parameters === "" && final === "I") return createKey("focus-in");
  if (parameters === "" && final === "O") return createKey("focus-out");
  // Private markers and intermediate characters stand in replies alone; `R` reports where the cursor is.
  if (!/^[\d;:]*$/.test(parameters) || "RIOcnty".includes(final)) return undefined;
  const [first = "", second = "", third = ""] = parameters.split(";");
  const modifiers = decodeModifiers(second);
  if (modifiers.isRelease) return undefined;
  if (final === "u") return fromCodePoint(first, modifiers, third);
  if (final === "~" && Number(first) === 27) return fromCodePoint(third, modifiers, "");
  if (final === "Z") return createNamedKey("tab", { ...modifiers, shift: true });
  return createNamedKey((final === "~" ? byNumber.get(Number(first)) : byLetter.get(final)) ?? "other", modifiers);
}

/** Returns the key for one character as terminals send it without any protocol; `alt` is true after an escape. */
export function toCharacterKey(character: string, alt: boolean): Key {
  const code = character.codePointAt(0) ?? 0;
  const name = byCode.get(code);
  if (name !== undefined) return createKey(name, { alt });
  if (code < 0x20) {
    return createKey("text", {
      text: code === 0 ? " " : String.fromCharCode(code | 0x40).toLowerCase(),
      ctrl: true,
      alt,
    });
  }
  if (code >= 0x80 && code < 0xa0) return createKey("other", { alt });
  return alt ? createShortcut(character, { ctrl: false, alt }) : createKey("text", { text: character });
}

function fromCodePoint(codes: string, modifiers: Modifiers, typed: string): Key {
  const [code = 0, shifted = 0] = codes.split(":").map(Number);
  const name = byCode.get(code) ?? byKittyCode.get(code);
  if (name !== undefined) return createNamedKey(name, modifiers);
  const text = toTypedText(keypad.get(code) ?? code);
  if (text === undefined || modifiers.foreign) return createNamedKey("other", modifiers);
  if (modifiers.ctrl || modifiers.alt) return createShortcut(text, modifiers);
  const asTyped = typed.split(":").map((each) => toTypedText(Number(each)) ?? "");
  const upper = modifiers.shift ? (toTypedText(shifted) ?? text.toUpperCase()) : text;
  return createKey("text", { text: asTyped.join("") || upper });
}

function createNamedKey(name: Key["name"], { ctrl, alt, shift }: Modifiers): Key {
  return { name, text: "", ctrl, alt, shift };
}

function createShortcut(
  text: string,
  { ctrl, alt, shift }: Pick<Key, "ctrl" | "alt"> & Partial<Pick<Key, "shift">>,
): Key {
  const lower = text.toLowerCase();
  return { name: "text", text: lower, ctrl, alt, shift: (shift ?? false) || lower !== text };
}

function decodeModifiers(parameter: string): Modifiers {
  const [mask = "", event = ""] = parameter.split(":");
  const bits = Math.max(0, Math.min(255, Number(mask) - 1));
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & 34) !== 0,
    ctrl: (bits & 4) !== 0,
    foreign: (bits & 24) !== 0,
    isRelease: Number(event) === 3,
  };
}

/** Returns undefined for what no key types: controls, kitty's private key codes, half a character. */
function toTypedText(code: number): string | undefined {
  const isText =
    code >= 0x20 && !(code >= 0x7f && code < 0xa0) && !(code >= 0xd800 && code < 0xf900) && code <= 0x10ffff;
  return isText ? String.fromCodePoint(code) : undefined;
}

const byLetter: ReadonlyMap<string, Key["name"]> = new Map([
  ["A", "up"],
  ["B", "down"],
  ["C", "right"],
  ["D", "left"],
  ["F", "end"],
  ["H", "home"],
] as const);

const byNumber: ReadonlyMap<number, Key["name"]> = new Map([
  [1, "home"],
  [3, "delete"],
  [4, "end"],
  [5, "page-up"],
  [6, "page-down"],
  [7, "home"],
  [8, "end"],
] as const);

const byCode: ReadonlyMap<number, Key["name"]> = new Map([
  [8, "backspace"],
  [9, "tab"],
  [13, "enter"],
  [27, "escape"],
  [127, "backspace"],
] as const);

/** Maps kitty's codes to keypad keys and other keys that have no character. */
const byKittyCode: ReadonlyMap<number, Key["name"]> = new Map([
  [57414, "enter"],
  [57417, "left"],
  [57418, "right"],
  [57419, "up"],
  [57420, "down"],
  [57421, "page-up"],
  [57422, "page-down"],
  [57423, "home"],
  [57424, "end"],
  [57426, "delete"],
] as const);

/** Maps kitty's codes to the keypad's characters; 57399 is its 0. */
const keypad: ReadonlyMap<number, number> = new Map(
  Array.from("0123456789./*-+", (character, index) => [57399 + index, character.charCodeAt(0)] as const),
);
