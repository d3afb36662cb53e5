import type { Reflow, RewrappedLines } from "./drawn.ts";

/**
 * Chooses how the terminal, as named by the environment, rewraps lines after a resize; for an unknown one it assumes what most
 * have in common.
 */
export function chooseReflow(environment: Readonly<Record<string, string | undefined>>): Reflow {
  const { TERM = "", TERM_PROGRAM = "", TMUX, VTE_VERSION, WT_SESSION, XTERM_VERSION, STY } = environment;
  if (TMUX) return withCursor;
  if (STY || XTERM_VERSION || TERM === "linux" || TERM === "xterm") return reflowNothing;
  if (TERM_PROGRAM === "vscode") return reflowLikeXtermJs;
  if (VTE_VERSION || WT_SESSION || programs.includes(TERM_PROGRAM)) return withCursor;
  return terms.some((known) => TERM === known || TERM.startsWith(`${known}-`)) ? withCursor : careful;
}

/** Cuts lines off. */
const reflowNothing: Reflow = () => 0;

/** Assumes only what holds for all terminals that rewrap. */
const careful: Reflow = countAbove;

/** The cursor stays with its character. */
const withCursor: Reflow = (rewrapped) => countAbove(rewrapped) + rewrapped.upToCursor;

/**
 * Rewraps from the last line up: each line moves the cursor down, and the line that the cursor is then in is not wrapped. With
 * fewer rows, the cursor's position depends on what has scrolled away (`_reflowSmaller`,
 * https://github.com/xtermjs/xterm.js/blob/6.0.0/src/common/buffer/Buffer.ts).
 */
const reflowLikeXtermJs: Reflow = (rewrapped) => {
  const { added, cursor, isShorter } = rewrapped;
  if (isShorter) return countAbove(rewrapped);
  return added.reduceRight((moved, rows, line) => (cursor + moved === line ? moved : moved + rows), 0);
};

function countAbove({ added, cursor }: RewrappedLines): number {
  return added.slice(0, cursor).reduce((total, rows) => total + rows, 0);
}

const programs = ["iTerm.app", "WezTerm", "ghostty", "zed"];
const terms = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm"];
