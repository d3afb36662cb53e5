import { createRunView, type TerminalRunView } from "../../../../src/cli/chat/steps/create-run-view.ts";
import type { StepLog } from "../../../../src/cli/chat/steps/step.ts";
import { createStepLog } from "../../../../src/cli/chat/steps/step-log.ts";
import type { MarkdownStream } from "../../../../src/cli/terminal/markdown/markdown-stream.ts";
import { createLine, type Line, toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import type { AgentEvent } from "../../../../src/core/run/events.ts";
import type { Locale } from "../../../../src/kit/locale.ts";

export interface OpenedView {
  view: TerminalRunView;
  steps: StepLog;
  /** Shows events as a chat does: the book first. */
  take(...events: AgentEvent[]): void;
  /** The finished lines so far. */
  written: Line[];
  lines(): string[];
  live(rows?: number): string[];
  /** Moves its clock. */
  pass(ms: number): void;
}

export interface ViewSettings {
  columns?: number;
  locale?: Locale;
  verbose?: boolean;
  openMarkdown?: () => MarkdownStream | Promise<MarkdownStream>;
  /** Is called where a frame is drawn at once. */
  onDraw?: () => void;
}

/** A view on a screen that keeps what is written; its clock stands still until it is moved. */
export function openView(settings: ViewSettings = {}): OpenedView {
  const { columns = 100, locale = "en", verbose = false, openMarkdown = plainText, onDraw = () => {} } = settings;
  const written: Line[] = [];
  let time = 0;
  const now = (): number => time;
  const steps = createStepLog({ now });
  const screen = {
    size: { columns, rows: 30 },
    write: (lines: readonly Line[]) => void written.push(...lines),
    refresh() {},
    refreshNow: onDraw,
  };
  const view = createRunView({ screen, steps, locale, verbose, openMarkdown, now });
  return {
    view,
    steps,
    take(...events) {
      for (const event of events) {
        steps.handle(event);
        view.handle(event);
      }
    },
    written,
    lines: () => written.map(toPlainText),
    live(rows = 20) {
      view.flush();
      return view.live(rows).map(toPlainText);
    },
    pass(ms) {
      time += ms;
    },
  };
}

/** All lines that stay of these events. */
export async function linesOf(events: Iterable<AgentEvent>, settings?: ViewSettings): Promise<string[]> {
  const opened = openView(settings);
  opened.take(...events);
  await opened.view.close();
  return opened.lines();
}

/** Text line by line, in place of Markdown. */
export function plainText(): MarkdownStream {
  let text = "";
  const rest = (): Line[] => (text === "" ? [] : text.split("\n").map((line) => createLine(line)));
  return {
    push(piece) {
      text += piece;
    },
    take() {
      const lines = rest().slice(0, -1);
      text = text.slice(text.lastIndexOf("\n") + 1);
      return lines;
    },
    pending: (rows) => rest().slice(-rows),
    async end() {
      const lines = rest();
      text = "";
      return lines;
    },
  };
}
