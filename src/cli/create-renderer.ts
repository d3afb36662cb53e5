import { renderMissingConsent } from "../core/notices/outcome-notices.ts";
import { isDraftEvent } from "../core/run/drafts.ts";
import type { AgentEvent } from "../core/run/events.ts";
import type { Citation, Outcome } from "../core/run/outcome.ts";
import type { Locale } from "../kit/locale.ts";
import { createSanitizer } from "../kit/text/sanitize.ts";
import type { SettingPlace } from "../render/limit-advice.ts";
import { createStepWriter } from "../render/step-writer.ts";
import { type Output, writeSafely } from "./console.ts";
import type { LiveLine } from "./live-line.ts";
import { createHyperlink } from "./terminal/text/hyperlink.ts";
import type { TerminalAnswer } from "./terminal-answer.ts";

export interface RenderOptions {
  console: { readonly stdout: Output; readonly stderr: Output };
  locale: Locale;
  /** Also writes each call's whole input and output. */
  verbose: boolean;
  /** Is true when the terminal shows links; citations in the answer then become links. */
  hyperlinks: boolean;
  /** Rewords a line shown beside the answer; when absent, the line is written unchanged. */
  word?(line: string, event: AgentEvent): string;
  /** The answer comes in whole lines, not as it streams. */
  byLine?: boolean;
  /** Rewords a whole line of the answer, where it comes in such; undefined leaves the line out. */
  wordAnswer?(line: string): string | undefined;
  /** Says how the reader changes settings: with a flag when it is absent. */
  place?: SettingPlace;
  /** Shows drafts, where the terminal can take them back. */
  liveLine?: LiveLine | undefined;
  /** Shows the answer where stdout is a terminal; otherwise it is written as it comes. */
  answer?: TerminalAnswer | undefined;
}

/** Renders a run as plain text: the answer streams to stdout, and everything else goes to stderr, one line each. */
export function createRenderer(options: RenderOptions): (event: AgentEvent) => void {
  const { console, locale, verbose, hyperlinks, word, byLine = false, place = "flag", liveLine } = options;
  const { answer: shown, wordAnswer } = options;
  /** Is true while stdout is in the middle of a line of the answer. */
  let open = false;
  const answer = createSanitizer();
  const link = hyperlinks ? createLinker() : (text: string): string => text;
  const log = createStepWriter({ write: writeNote, locale, verbose, place });
  let current: AgentEvent | undefined;
  /** Holds the last, still unfinished line of the answer. */
  let held = "";

  function closeAnswer(): void {
    if (open && shown) shown.end();
    else if (open) console.stdout.write(wordLines(`${held}${answer.end()}\n`));
    open = false;
    held = "";
  }

  function show(text: string): void {
    const end = byLine ? text.lastIndexOf("\n") + 1 : text.length;
    if (end > 0) console.stdout.write(wordLines(held + text.slice(0, end)));
    held = end > 0 ? text.slice(end) : held + text;
  }

  /** Takes whole lines where they are reworded. */
  function wordLines(text: string): string {
    if (wordAnswer === undefined) return text;
    const lines = text.split("\n").slice(0, -1);
    return lines
      .flatMap((line) => wordAnswer(line) ?? [])
      .map((line) => `${line}\n`)
      .join("");
  }

  function writeNote(line: string): void {
    // A line on stderr would stick to the answer where both share a terminal; a piped answer stays untouched.
    if (console.stdout.isTTY) closeAnswer();
    const worded = word && current ? word(line, current) : line;
    writeSafely(console.stderr, `${shown ? shown.wrap(worded) : worded}\n`);
  }

  /** Says on stdout, too, which calls were not made: who reads it alone must not believe that they were. */
  function writeMissingConsent(outcome: Outcome): void {
    for (const line of renderMissingConsent(outcome)) console.stdout.write(`\n${line}\n`);
  }

  let draft = "";

  /** Shows a draft until what it was is written. Returns true for an event of a draft. */
  function showDraft(event: AgentEvent): boolean {
    if (event.type === "draft-delta") {
      draft += event.text;
      if (draft.trim() !== "") liveLine?.show(draft);
      return true;
    }
    draft = "";
    liveLine?.erase();
    return isDraftEvent(event);
  }

  return (event) => {
    if (showDraft(event)) return;
    current = event;
    if (event.type === "run-end") {
      closeAnswer();
      if (!console.stdout.isTTY) writeMissingConsent(event.outcome);
    }
    // What was thought before the answer is written before it.
    if (event.type !== "answer-delta" || !open) log(event);
    if (event.type !== "answer-delta") return;
    open = true;
    if (shown) shown.push(event.text, event.citations);
    else show(link(answer.push(event.text), event.citations));
  };
}

/** Links the numbers `[n]` of an answer that comes in pieces, and the addresses in its list of references, outside of code. */
export function createLinker(): (text: string, citations?: readonly Citation[]) => string {
  const addresses = new Map<string, string>();
  /** Holds the start of the current line, to detect the beginning of a code block. */
  let head = "";
  let inBlock = false;
  let inSpan = false;

  function linkCitation(token: string, before: string): string {
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
    return address === undefined ? token : createHyperlink(address, token);
  }

  return (text, citations = []) => {
    for (const { n, url } of citations) addresses.set(`[${n}]`, url).set(url, url);
    const shown = text.replace(tokens, (token, offset: number) => linkCitation(token, head + text.slice(0, offset)));
    head = (head + text).slice(-longestHead);
    return shown;
  };
}

const tokens = /\n|`+|~{3,}|\[\d{1,3}\](?!\()|(?<![^\s])https?:\/\/\S+/g;
const longestHead = 40;
