import { toShortLine } from "../../../kit/text/sanitize.ts";

/** Names the way in which a terminal tells of something while nobody looks at it. */
export type NotificationWay = "bell" | "osc9" | "osc99";

export interface NotificationWishes {
  /** Only `TERM`, `TERM_PROGRAM`, `KITTY_WINDOW_ID`, `TMUX` and `STY` are read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly configured: "auto" | "bell" | "off";
}

/** Lists the terminals that show a notification of the desktop for OSC 9, by their `TERM_PROGRAM`. */
const withOsc9 = new Set(["iTerm.app", "WezTerm", "ghostty", "WarpTerminal"]);

/** Chooses the way that the terminal is known to support. A multiplexer hides which terminal shows it, and passes a bell on. */
export function chooseNotification({ environment, configured }: NotificationWishes): NotificationWay | undefined {
  if (configured === "off") return undefined;
  const { TERM = "", TERM_PROGRAM = "", KITTY_WINDOW_ID, TMUX, STY } = environment;
  if (configured === "bell" || TMUX || STY) return "bell";
  if (withOsc9.has(TERM_PROGRAM)) return "osc9";
  return TERM === "xterm-kitty" || KITTY_WINDOW_ID || TERM.startsWith("foot") ? "osc99" : "bell";
}

const longestText = 80;

/**
 * Returns the sequence that tells of something. OSC 99 is kitty's
 * (https://sw.kovidgoyal.net/kitty/desktop-notifications/), OSC 9 that of iTerm2.
 */
export function renderNotification(way: NotificationWay, text: string): string {
  // A text that begins with a digit would be something else to some terminals.
  const shown = `Duet: ${toShortLine(text, longestText)}`;
  if (way === "osc9") return `\u001b]9;${shown}\u001b\\`;
  return way === "osc99" ? `\u001b]99;;${shown}\u001b\\` : "\u0007";
}

/** Replaces the title of the window, which the terminal keeps on a stack until `restoreTitle`. */
export function renderTitle(text: string): string {
  return `\u001b[22;2t\u001b]2;${toShortLine(text, longestText)}\u001b\\`;
}

export const restoreTitle = "\u001b[23;2t";
