import { sanitizeLine } from "../../../kit/text/sanitize.ts";

/** Maps the names of variables to their values. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns true when stdout is a terminal that is known to show hyperlinks (OSC 8,
 * https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda). `FORCE_HYPERLINK` turns them on for an unknown one;
 * without colours there are no links.
 */
export function canShowHyperlinks(stdout: { isTTY?: boolean }, environment: Environment, wantsColours = true): boolean {
  const { NO_COLOR, TERM = "", FORCE_HYPERLINK } = environment;
  if (!stdout.isTTY || !wantsColours || NO_COLOR || TERM === "dumb") return false;
  if (FORCE_HYPERLINK) return FORCE_HYPERLINK !== "0";
  // What stands between may not pass them on, whatever the terminal behind it can do.
  if (/^(screen|tmux)/.test(TERM) || environment.TMUX || environment.STY) return false;
  return isKnown(environment, TERM);
}

function isKnown(environment: Environment, term: string): boolean {
  const { TERM_PROGRAM, TERM_PROGRAM_VERSION = "", VTE_VERSION, WT_SESSION } = environment;
  const since = programs.find(([name]) => name === TERM_PROGRAM)?.[1];
  if (since) return isAtLeast(TERM_PROGRAM_VERSION, since);
  // 0.50.0 crashed on them.
  if (VTE_VERSION) return Number(VTE_VERSION) > 5000;
  return Boolean(WT_SESSION) || terms.some((known) => term === known || term.startsWith(`${known}-`));
}

/** Lists values of `TERM_PROGRAM`, with the first version that shows hyperlinks. */
const programs: readonly [string, readonly [number, number]][] = [
  ["iTerm.app", [3, 1]],
  ["WezTerm", [20_200_620, 0]],
  ["vscode", [1, 72]],
  ["ghostty", [0, 0]],
  ["zed", [0, 0]],
];

/** Lists the values of `TERM` whose terminals show hyperlinks. Unlike the other variables, ssh passes `TERM` on. */
const terms = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm"];

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, second = 0] = version.split(/\D/).map(Number);
  return ours > major || (ours === major && second >= minor);
}

/** Formats the text as a link; returns it unchanged when a link may not lead to the address. */
export function createHyperlink(address: string, text: string): string {
  const href = toSafeAddress(address);
  return href === undefined ? text : `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`;
}

/** Limits an address, in characters; terminals accept no longer ones. */
const longestAddress = 2000;

/**
 * Rebuilds the address from its parts, so that nothing in it can end the link. Credentials in a URL could imitate another host.
 */
function toSafeAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  if (sanitizeLine(text) !== text || url.href.length > longestAddress) return undefined;
  return /^[\x21-\x7e]+$/.test(url.href) ? url.href : undefined;
}
