import type { Key } from "./key.ts";
import { createKey, toCharacterKey, toSequenceKey } from "./key-sequences.ts";

/**
 * Turns what a terminal sends into keys. Never throws. However the bytes are split, the keys are the same, but that more characters
 * than anybody types at once (a paste at a terminal that does not mark it) come as one text.
 */
export interface KeyDecoder {
  push(bytes: Uint8Array): Key[];
  /**
   * Is the number of milliseconds to wait for the rest of an incomplete sequence before `flush`; undefined when none is
   * incomplete.
   */
  readonly patienceMs: number | undefined;
  /** Returns the keys of what is half read: an escape that was pressed, a paste that broke off. */
  flush(): Key[];
}

/**
 * Describes the sequence that a character may belong to. `escape` holds one or two escapes, `sequence` is CSI, `single` SS3, and
 * `string` an OSC, DCS, APC, PM or SOS, which are replies of terminals.
 */
type State =
  | { in: "ground" }
  | { in: "escape"; count: 1 | 2 }
  | { in: "sequence"; alt: boolean; parameters: string }
  | { in: "single"; alt: boolean; parameters: string }
  | { in: "string"; introducer: string; alt: boolean; isEmpty: boolean; afterEscape: boolean }
  | { in: "paste"; pasted: PastedText };

export function createKeyDecoder(): KeyDecoder {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let state: State = ground;

  function readText(text: string, keys: Key[]): void {
    let index = 0;
    while (index < text.length) {
      if (state.in === "paste") {
        const after = state.pasted.push(text.slice(index));
        if (after === undefined) return;
        keys.push(createKey("paste", { text: state.pasted.text() }));
        state = ground;
        index = text.length - after.length;
        continue;
      }
      const run = state.in === "ground" ? runAt(text, index) : undefined;
      if (run !== undefined) {
        keys.push(createKey("text", { text: run }));
        index += run.length;
        continue;
      }
      const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
      index += character.length;
      state = readCharacter(state, character, keys);
    }
  }

  return {
    push(bytes) {
      const keys: Key[] = [];
      readText(decoder.decode(bytes, { stream: true }), keys);
      return keys;
    },
    get patienceMs() {
      return getWaitMs(state);
    },
    flush() {
      const keys = decodeUnfinished(state);
      state = ground;
      return keys;
    },
  };
}

/** Covers every state that is read character by character. */
type ReadingState = Exclude<State, { in: "paste" }>;

const ground: ReadingState = { in: "ground" };

/** Returns a run of 64 or more characters, which nobody types at once. */
function runAt(text: string, index: number): string | undefined {
  const run = /[^\p{Cc}]{64,}/uy;
  run.lastIndex = index;
  return run.exec(text)?.[0];
}

/** Reads one character, and returns the state that follows. */
function readCharacter(state: ReadingState, character: string, keys: Key[]): State {
  switch (state.in) {
    case "ground":
      if (character === escapeCharacter) return { in: "escape", count: 1 };
      keys.push(toCharacterKey(character, false));
      return ground;
    case "escape":
      return readInEscape(state.count, character, keys);
    case "sequence":
      return readInSequence(state, character, keys);
    case "single":
      if (/[\d;]/.test(character)) return { ...state, parameters: state.parameters + character };
      if (!/[A-Za-z]/.test(character)) return readCharacter(ground, character, keys);
      keys.push(decodeSingle(state, character));
      return ground;
    case "string":
      return readInString(state, character, keys);
  }
}

function readInEscape(count: 1 | 2, character: string, keys: Key[]): State {
  const alt = count === 2;
  if (character === "[") return { in: "sequence", alt, parameters: "" };
  if (character === "O") return { in: "single", alt, parameters: "" };
  if (character === escapeCharacter) {
    if (alt) keys.push(createKey("escape"));
    return { in: "escape", count: 2 };
  }
  if ("]P_^X".includes(character)) {
    return { in: "string", introducer: character, alt, isEmpty: true, afterEscape: false };
  }
  if (alt) keys.push(createKey("escape"));
  keys.push(toCharacterKey(character, true));
  return ground;
}

function readInSequence(state: Extract<State, { in: "sequence" }>, character: string, keys: Key[]): State {
  // A function key of the Linux console: `CSI [ A`.
  if (state.parameters === "[") {
    keys.push(createKey("other"));
    return ground;
  }
  if (/[ -?]/.test(character) || (character === "[" && state.parameters === "")) {
    return { ...state, parameters: (state.parameters + character).slice(0, mostParameters) };
  }
  if (!/[@-~]/.test(character)) return readCharacter(ground, character, keys);
  if (character === "~" && state.parameters === "200") return { in: "paste", pasted: readPastedText() };
  if (character === "~" && state.parameters === "201") return ground;
  const key = toSequenceKey(state.parameters, character);
  if (key !== undefined) keys.push(state.alt ? { ...key, alt: true } : key);
  return ground;
}

/** Returns a key of the application mode, where letters stand for the keypad's characters. */
function decodeSingle({ alt, parameters }: Extract<State, { in: "single" }>, character: string): Key {
  if (character === "M") return createKey("enter", { alt });
  const modifier = parameters === "" ? "" : `1;${parameters.split(";").at(-1) ?? ""}`;
  const key = toSequenceKey(modifier, character) ?? createKey("other");
  return alt ? { ...key, alt } : key;
}

function readInString(state: Extract<State, { in: "string" }>, character: string, keys: Key[]): State {
  if (state.afterEscape) {
    return character === "\\" ? ground : readInEscape(1, character, keys);
  }
  if (character === escapeCharacter) return { ...state, isEmpty: false, afterEscape: true };
  if (character === "\u0007") return ground;
  // No reply holds another control character: Enter and Ctrl-C get through a string that never ends.
  if (character < " ") return readCharacter(ground, character, keys);
  return state.isEmpty ? { ...state, isEmpty: false } : state;
}

function decodeUnfinished(state: State): Key[] {
  switch (state.in) {
    case "escape":
      return Array.from({ length: state.count }, () => createKey("escape"));
    case "sequence":
      return state.parameters === "" ? createAltKey("[", state.alt) : [];
    case "single":
      return state.parameters === "" ? createAltKey("O", state.alt) : [];
    case "string":
      if (state.afterEscape) return [createKey("escape")];
      return state.isEmpty ? createAltKey(state.introducer, state.alt) : [];
    case "paste":
      return [createKey("paste", { text: state.pasted.text() })];
    default:
      return [];
  }
}

/** Returns Alt with a character that might have begun a sequence. */
function createAltKey(character: string, afterEscape: boolean): Key[] {
  const key = toCharacterKey(character, true);
  return afterEscape ? [createKey("escape"), key] : [key];
}

/**
 * Returns how long to wait for the rest of a sequence: terminals send it in one piece, and only a slow connection splits it. A
 * paste may also come over such a connection.
 */
function getWaitMs(state: State): number | undefined {
  switch (state.in) {
    case "ground":
      return undefined;
    case "paste":
      return 3_000;
    case "sequence":
    case "single":
      return state.parameters === "" ? 50 : 500;
    case "string":
      return state.isEmpty ? 50 : 1_000;
    default:
      return 50;
  }
}

const escapeCharacter = "\u001b";
const mostParameters = 100;

/**
 * Limits what is kept of one paste, in UTF-16 units. A longer paste yields one unit more, so that the receiver can see that it
 * is too long.
 */
export const mostPasted = 1_000_000;

/** Collects the text between the marks of a bracketed paste, piece by piece. */
interface PastedText {
  /** Adds text up to the closing mark; returns what follows it, and undefined while the mark has not come. */
  push(text: string): string | undefined;
  /** Returns the text pasted so far, with LF line ends. */
  text(): string;
}

export function readPastedText(): PastedText {
  const pieces: string[] = [];
  let kept = 0;
  let held = "";

  function keep(piece: string): void {
    const rest = piece.slice(0, mostPasted + 1 - kept);
    if (rest === "") return;
    pieces.push(rest);
    kept += rest.length;
  }

  return {
    push(text) {
      const whole = held + text;
      const end = whole.indexOf(closing);
      if (end >= 0) {
        held = "";
        keep(whole.slice(0, end));
        return whole.slice(end + closing.length);
      }
      const split = whole.length - countClosingStart(whole);
      held = whole.slice(split);
      keep(whole.slice(0, split));
      return undefined;
    },
    text: () => (pieces.join("") + held).slice(0, mostPasted + 1).replace(/\r\n?/g, "\n"),
  };
}

const closing = "\u001b[201~";

/** Returns how much of the closing mark is at the end of a text. */
function countClosingStart(text: string): number {
  for (let length = closing.length - 1; length > 0; length--) {
    if (text.endsWith(closing.slice(0, length))) return length;
  }
  return 0;
}
