/** A way in which a terminal sends what is typed, with the sequences that turn it on and off. */
export interface TerminalMode {
  readonly on: string;
  readonly off: string;
}

/**
 * So that a paste comes as one, and Shift+Enter as something else than Enter: by the kitty protocol
 * (https://sw.kovidgoyal.net/kitty/keyboard-protocol/), else by xterm's modifyOtherKeys. A terminal that does not know one
 * of them passes it over.
 */
export const inputModes: readonly TerminalMode[] = [
  { on: "\u001b[?2004h", off: "\u001b[?2004l" },
  { on: "\u001b[>1u", off: "\u001b[<u" },
  { on: "\u001b[>4;2m", off: "\u001b[>4m" },
];

export function turnOn(modes: readonly TerminalMode[]): string {
  return modes.map(({ on }) => on).join("");
}

/** In the reverse order. */
export function turnOff(modes: readonly TerminalMode[]): string {
  return modes
    .map(({ off }) => off)
    .reverse()
    .join("");
}
