import type { Citation } from "../../../core/run/outcome.ts";
import type { MarkdownStream } from "../../terminal/markdown/markdown-stream.ts";
import type { Screen } from "../../terminal/screen/screen-types.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import { wrapLine } from "../../terminal/text/wrap.ts";
import type { Scrollback } from "./scrollback.ts";
import { takeTail } from "./thinking.ts";

/** Shows an answer as it grows. Finished parts are written out, and the rest is redrawn. */
export interface AnswerView {
  push(text: string, citations: readonly Citation[] | undefined): void;
  /** Lets out what is finished: what is still drawn as live is lost above a screen that becomes lower, and comes once more. */
  flush(): void;
  /** Writes out the rest once it is rendered. Nothing more may be pushed. */
  finish(): void;
  live(rows: number): Line[];
}

export interface AnswerViewOptions {
  screen: Pick<Screen, "size">;
  scrollback: Scrollback;
  openMarkdown(): MarkdownStream | Promise<MarkdownStream>;
}

/** Begins an answer, a blank line above it. Where Markdown cannot be shown, its text is, as it is. */
export function createAnswer({ screen, scrollback, openMarkdown }: AnswerViewOptions): AnswerView {
  /** Holds the whole text, for when it cannot be shown as Markdown. */
  let whole = "";
  let held: { text: string; citations: readonly Citation[] | undefined }[] = [];
  let stream: MarkdownStream | undefined;
  let hasFailed = false;
  let state: "growing" | "ending" | "over" = "growing";
  scrollback.writeGap();
  const opened = open();

  async function open(): Promise<void> {
    try {
      const opening = await openMarkdown();
      for (const { text, citations } of held) opening.push(text, citations);
      stream = opening;
    } catch {
      hasFailed = true;
    }
    held = [];
  }

  /** Does something with the stream; a failure of it must not cost the answer. */
  function tryStream<T>(task: (stream: MarkdownStream) => T, otherwise: T): T {
    if (stream === undefined || hasFailed) return otherwise;
    try {
      return task(stream);
    } catch {
      hasFailed = true;
      return otherwise;
    }
  }

  function flush(): void {
    if (state !== "growing") return;
    scrollback.write(...tryStream((markdown) => markdown.take(), []));
  }

  async function takeRest(): Promise<Line[]> {
    await opened;
    try {
      if (!hasFailed && stream) return await stream.end();
    } catch {
      // Shown as it is.
    } finally {
      state = "over";
    }
    return whole.split(/\r?\n/).map((line) => createLine(line));
  }

  return {
    push(text, citations) {
      whole += text;
      if (stream === undefined && !hasFailed) held.push({ text, citations });
      else tryStream((markdown) => markdown.push(text, citations), undefined);
    },
    flush,
    finish() {
      flush();
      state = "ending";
      scrollback.writeLater(takeRest());
    },
    live(rows) {
      if (state === "over" || rows < 1) return [];
      if (stream && !hasFailed) return tryStream((markdown) => markdown.pending(rows).slice(-rows), []);
      return cutToLastRows(whole, screen.size.columns, rows);
    },
  };
}

function cutToLastRows(text: string, columns: number, rows: number): Line[] {
  const lines = takeTail(text, columns * rows).split(/\r?\n/);
  return lines.flatMap((line) => wrapLine(createLine(line), columns)).slice(-rows);
}
