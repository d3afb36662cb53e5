/** Describes an input mode of a terminal, with the sequences that turn it on and off. */
export interface TerminalMode {
  readonly on: string;
  readonly off: string;
}

/**
 * Makes a paste arrive as one, and Shift+Enter differ from Enter: by the kitty protocol
 * (https://sw.kovidgoyal.net/kitty/keyboard-protocol/), or else by xterm's modifyOtherKeys. The last one has the terminal say
 * when it gets and loses the focus. A terminal ignores a mode that it does not know.
 */
export const inputModes: readonly TerminalMode[] = [
  { on: "\u001b[?2004h", off: "\u001b[?2004l" },
  { on: "\u001b[>1u", off: "\u001b[<u" },
  { on: "\u001b[>4;2m", off: "\u001b[>4m" },
  { on: "\u001b[?1004h", off: "\u001b[?1004l" },
];

export function turnOn(modes: readonly TerminalMode[]): string {
  return modes.map(({ on }) => on).join("");
}

/** Turns the modes off in reverse order. */
export function turnOff(modes: readonly TerminalMode[]): string {
  return modes
    .map(({ off }) => off)
    .reverse()
    .join("");
}
