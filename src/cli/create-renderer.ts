import type { AgentEvent } from "../core/events.ts";
import type { Citation } from "../core/outcome.ts";
import type { Locale } from "../kit/errors.ts";
import { createSanitizer } from "../kit/text/sanitize.ts";
import { createStepWriter } from "../render/step-writer.ts";
import { type Output, writeSafely } from "./console.ts";
import { createHyperlink } from "./terminal/text/hyperlink.ts";

export interface RenderOptions {
  console: { readonly stdout: Output; readonly stderr: Output };
  locale: Locale;
  /** Each call's whole input and output as well. */
  verbose: boolean;
  /** Whether the terminal shows links: the answer's citations become some. */
  hyperlinks: boolean;
  /** How a line beside the answer is worded; as it is when absent. */
  word?(line: string, event: AgentEvent): string;
  /** The answer comes in whole lines, not as it streams. */
  byLine?: boolean;
}

/** A run as plain text: the answer streams to stdout, everything else goes to stderr, a line each. */
export function createRenderer(options: RenderOptions): (event: AgentEvent) => void {
  const { console, locale, verbose, hyperlinks, word, byLine = false } = options;
  /** Whether stdout stands in the middle of an answer's line. */
  let open = false;
  const answer = createSanitizer();
  const link = hyperlinks ? createLinker() : (text: string): string => text;
  const log = createStepWriter({ write: note, locale, verbose });
  let current: AgentEvent | undefined;
  /** The last line of the answer, where it has not ended. */
  let held = "";

  function closeAnswer(): void {
    if (open) console.stdout.write(`${held}${answer.end()}\n`);
    open = false;
    held = "";
  }

  function show(text: string): void {
    const end = byLine ? text.lastIndexOf("\n") + 1 : text.length;
    if (end > 0) console.stdout.write(held + text.slice(0, end));
    held = end > 0 ? text.slice(end) : held + text;
  }

  function note(line: string): void {
    // A line on stderr would stick to the answer where both share a terminal; a piped answer stays untouched.
    if (console.stdout.isTTY) closeAnswer();
    writeSafely(console.stderr, `${word && current ? word(line, current) : line}\n`);
  }

  return (event) => {
    current = event;
    if (event.type === "run-end") closeAnswer();
    // What was thought before the answer is told before it.
    if (event.type !== "answer-delta" || !open) log(event);
    if (event.type !== "answer-delta") return;
    open = true;
    show(link(answer.push(event.text), event.citations));
  };
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
    return address === undefined ? token : createHyperlink(address, token);
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
