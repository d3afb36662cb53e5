import type { Config } from "../config.ts";
import type { Citation } from "../core/outcome.ts";
import { printableLine } from "../core/printable.ts";

/**
 * Whether stdout is a terminal that is known to show hyperlinks (OSC 8,
 * https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda). `FORCE_HYPERLINK` says so of one that is not known;
 * who wants no colours gets no links.
 */
export function showsHyperlinks(
  stdout: { isTTY?: boolean },
  environment: Config["environment"],
  wantsColours = true,
): boolean {
  const { NO_COLOR, TERM = "", FORCE_HYPERLINK } = environment;
  if (!stdout.isTTY || !wantsColours || NO_COLOR || TERM === "dumb") return false;
  if (FORCE_HYPERLINK) return FORCE_HYPERLINK !== "0";
  // What stands between may not pass them on, whatever the terminal behind it can do.
  if (/^(screen|tmux)/.test(TERM) || environment.TMUX || environment.STY) return false;
  return isKnown(environment, TERM);
}

function isKnown(environment: Config["environment"], term: string): boolean {
  const { TERM_PROGRAM, TERM_PROGRAM_VERSION = "", VTE_VERSION, WT_SESSION } = environment;
  const since = programs.find(([name]) => name === TERM_PROGRAM)?.[1];
  if (since) return isAtLeast(TERM_PROGRAM_VERSION, since);
  // 0.50.0 crashed on them.
  if (VTE_VERSION) return Number(VTE_VERSION) > 5000;
  return Boolean(WT_SESSION) || terms.some((known) => term === known || term.startsWith(`${known}-`));
}

/** By `TERM_PROGRAM`, and since which version. */
const programs: readonly [string, readonly [number, number]][] = [
  ["iTerm.app", [3, 1]],
  ["WezTerm", [20_200_620, 0]],
  ["vscode", [1, 72]],
  ["ghostty", [0, 0]],
  ["zed", [0, 0]],
];

/** By `TERM`, which, unlike the others, also arrives through ssh. */
const terms = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm"];

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, second = 0] = version.split(/\D/).map(Number);
  return ours > major || (ours === major && second >= minor);
}

/** The text as a link; as it is where the address is not one that a link may lead to. */
export function hyperlink(address: string, text: string): string {
  const href = safeAddress(address);
  return href === undefined ? text : `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`;
}

/** Terminals take no longer ones. */
const longestAddress = 2000;

/** Written anew from its parts, so that nothing in it can end the link; a sign-in in it is a way to feign another host. */
function safeAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  if (printableLine(text) !== text || url.href.length > longestAddress) return undefined;
  return /^[\x21-\x7e]+$/.test(url.href) ? url.href : undefined;
}

/** Links the numbers `[n]` of an answer that comes in pieces, and the addresses in its list of references, outside of code. */
export function createLinker(): (text: string, citations?: readonly Citation[]) => string {
  const addresses = new Map<string, string>();
  /** How the current line begins, in case a code block does there. */
  let head = "";
  let inBlock = false;
  let inSpan = false;

  function linked(token: string, before: string): string {
    if (token === "\n") {
      inSpan = false;
      return token;
    }
    if (/^[`~]/.test(token)) {
      if (token.length >= 3 && /(?:^|\n)[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?$/.test(before)) inBlock = !inBlock;
      else if (!inBlock && token.startsWith("`")) inSpan = !inSpan;
      return token;
    }
    const address = inBlock || inSpan ? undefined : addresses.get(token);
    return address === undefined ? token : hyperlink(address, token);
  }

  return (text, citations = []) => {
    for (const { n, url } of citations) addresses.set(`[${n}]`, url).set(url, url);
    const shown = text.replace(tokens, (token, offset: number) => linked(token, head + text.slice(0, offset)));
    head = (head + text).slice(-longestHead);
    return shown;
  };
}

const tokens = /\n|`+|~{3,}|\[\d{1,3}\](?!\()|(?<![^\s])https?:\/\/\S+/g;
const longestHead = 40;
