import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createRenderer } from "../../src/cli/create-renderer.ts";
import { createLiveLine } from "../../src/cli/live-line.ts";
import type { AgentEvent } from "../../src/core/run/events.ts";

/** A terminal or a pipe that keeps what is written, in one log with others. */
function createOutput(name: string, log: string[], traits: { isTTY?: boolean; columns?: number } = {}) {
  const output = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      log.push(`${name} ${JSON.stringify(text)}`);
      done();
    },
  });
  return Object.assign(output, traits);
}

const draft = (text: string): AgentEvent => ({ type: "draft-delta", draft: 1, text });
const ends = (kept: "answer" | "thought"): AgentEvent => ({ type: "draft-end", draft: 1, kept });

test("a draft is one line on a terminal's stderr, which goes before what it was is written, and stdout gets the answer alone", () => {
  const log: string[] = [];
  const stdout = createOutput("out", log);
  const stderr = createOutput("err", log, { isTTY: true, columns: 30 });
  const liveLine = createLiveLine(stderr);
  const render = createRenderer({
    console: { stdout, stderr },
    locale: "en",
    verbose: false,
    hyperlinks: false,
    liveLine,
  });
  render({ type: "draft-start", draft: 1, step: 1 });
  render(draft("I look\u001b[2J it up"));
  render(draft(" in the book."));
  render(ends("thought"));
  render({ type: "thought-delta", text: "I look it up." });
  render({ type: "tool-start", callId: "1", step: 1, tool: "look", arguments: {} });
  render(draft("It is"));
  render(ends("answer"));
  render({ type: "answer-delta", text: "It is" });
  expect(log).toEqual([
    'err "\\r\\u001b[K… I look\\\\u{1b}[2J it up"',
    'err "\\r\\u001b[K… the book."',
    'err "\\r\\u001b[K"',
    'err "💭 I look it up.\\n"',
    'err "🔧 look {}\\n"',
    'err "\\r\\u001b[K… It is"',
    'err "\\r\\u001b[K"',
    'out "It is"',
  ]);
});

test("without a terminal no draft is written", () => {
  const log: string[] = [];
  const console = { stdout: createOutput("out", log), stderr: createOutput("err", log) };
  const render = createRenderer({ console, locale: "en", verbose: false, hyperlinks: false });
  for (const event of [draft("It is"), ends("answer")]) render(event);
  expect(log).toEqual([]);
});
