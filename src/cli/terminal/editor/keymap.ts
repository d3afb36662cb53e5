import type { Key } from "../keys/key.ts";

export type Action =
  | "submit"
  | "newline"
  | "complete"
  | "close"
  | "search"
  | "up"
  | "down"
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "line-start"
  | "line-end"
  | "text-start"
  | "text-end"
  | "delete-left"
  | "delete-right"
  | "kill-word-left"
  | "kill-blank-left"
  | "kill-word-right"
  | "kill-line-left"
  | "kill-line-right"
  | "yank"
  | "undo";

/** Returns the editor's action for a key, or undefined when the key has none or inserts text. */
export function findAction(key: Key): Action | undefined {
  const { name, text, ctrl, alt, shift } = key;
  const held = `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift ? "shift-" : ""}`;
  return actions.get(name === "text" ? `${held}${text}` : `${held}${name}`.toUpperCase());
}

/** Character keys are in lower case, named keys in upper case. */
const actions: ReadonlyMap<string, Action> = new Map([
  ["ENTER", "submit"],
  ["SHIFT-ENTER", "newline"],
  ["ALT-ENTER", "newline"],
  ["CTRL-ENTER", "newline"],
  ["ctrl-j", "newline"],
  ["ctrl-alt-j", "newline"],
  ["TAB", "complete"],
  ["ESCAPE", "close"],
  ["ctrl-r", "search"],
  ["UP", "up"],
  ["ctrl-p", "up"],
  ["DOWN", "down"],
  ["ctrl-n", "down"],
  ["LEFT", "left"],
  ["ctrl-b", "left"],
  ["RIGHT", "right"],
  ["ctrl-f", "right"],
  ["CTRL-LEFT", "word-left"],
  ["ALT-LEFT", "word-left"],
  ["alt-b", "word-left"],
  ["CTRL-RIGHT", "word-right"],
  ["ALT-RIGHT", "word-right"],
  ["alt-f", "word-right"],
  ["HOME", "line-start"],
  ["ctrl-a", "line-start"],
  ["END", "line-end"],
  ["ctrl-e", "line-end"],
  ["CTRL-HOME", "text-start"],
  ["alt-<", "text-start"],
  ["CTRL-END", "text-end"],
  ["alt->", "text-end"],
  ["BACKSPACE", "delete-left"],
  ["SHIFT-BACKSPACE", "delete-left"],
  ["ctrl-h", "delete-left"],
  ["DELETE", "delete-right"],
  ["ctrl-d", "delete-right"],
  ["ALT-BACKSPACE", "kill-word-left"],
  ["CTRL-BACKSPACE", "kill-word-left"],
  ["ctrl-w", "kill-blank-left"],
  ["alt-d", "kill-word-right"],
  ["ALT-DELETE", "kill-word-right"],
  ["CTRL-DELETE", "kill-word-right"],
  ["ctrl-u", "kill-line-left"],
  ["ctrl-k", "kill-line-right"],
  ["ctrl-y", "yank"],
  ["ctrl-_", "undo"],
  ["ctrl-/", "undo"],
  // Ctrl-_ as kitty's protocol sends it on most keyboards.
  ["ctrl-shift--", "undo"],
] as const);
