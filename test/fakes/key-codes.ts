/** What a terminal sends for keys that are no letters. */
export const keyCodes = {
  enter: "\r",
  tab: "\t",
  escape: "\u001b",
  backspace: "\u007f",
  delete: "\u001b[3~",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  home: "\u001b[H",
  end: "\u001b[F",
  "shift-enter": "\u001b[13;2u",
  "alt-enter": "\u001b\r",
  "ctrl-c": "\u0003",
  "ctrl-d": "\u0004",
  "ctrl-g": "\u0007",
  "ctrl-j": "\n",
  "ctrl-l": "\u000c",
  "ctrl-o": "\u000f",
  "ctrl-r": "\u0012",
  "ctrl-w": "\u0017",
  "ctrl-x": "\u0018",
  "ctrl-z": "\u001a",
} as const;

export type KeyName = keyof typeof keyCodes;

/** A bracketed paste. */
export function pasted(text: string): string {
  return `\u001b[200~${text}\u001b[201~`;
}
