import type { Config } from "../config/config.ts";
import type { Citation } from "../core/run/outcome.ts";
import type { Locale } from "../kit/locale.ts";
import { sanitize } from "../kit/text/sanitize.ts";
import type { Console } from "./console.ts";
import { createMarkdownStream, type MarkdownStream } from "./terminal/markdown/markdown-stream.ts";
import { chooseReflow } from "./terminal/screen/choose-reflow.ts";
import type { Echo } from "./terminal/screen/echo.ts";
import { type PaintOptions, paintLine } from "./terminal/screen/paint-line.ts";
import { createScreen, type OpenScreen, type ScreenOptions } from "./terminal/screen/screen.ts";
import { chooseTheme, createTheme } from "./terminal/screen/theme.ts";
import { createLine, toPlainText } from "./terminal/text/line.ts";
import { wrapLine } from "./terminal/text/wrap.ts";

/** Shows an answer on a terminal as the chat does: what is finished stays, and what still grows is redrawn below it. */
export interface TerminalAnswer {
  push(text: string, citations: readonly Citation[] | undefined): void;
  /** Writes out what is left, and gives the terminal back at the start of a row. The next piece begins another answer. */
  end(): void;
  /** Wraps what stands beside the answer between words. */
  wrap(text: string): string;
}

export interface TerminalAnswerOptions extends Pick<ScreenOptions, "stdout" | "reflow"> {
  look: PaintOptions;
  locale: Locale;
  /** Is turned off before the first line is drawn; whoever passes it turns it on again. */
  echo?: Pick<Echo, "turnOff"> | undefined;
}

export function createTerminalAnswer({ stdout, reflow, look, locale, echo }: TerminalAnswerOptions): TerminalAnswer {
  let open: { screen: OpenScreen; markdown: MarkdownStream } | undefined;

  function begin(): NonNullable<typeof open> {
    echo?.turnOff();
    const markdown = createMarkdownStream({
      columns: () => screen.size.columns,
      hyperlinks: look.hyperlinks,
      locale,
      changed: () => screen.refresh(),
    });
    const screen = createScreen({
      stdout,
      reflow,
      paint: (line) => paintLine(line, look),
      draw: ({ rows }) => ({ lines: markdown.pending(rows - 1) }),
    });
    return { screen, markdown };
  }

  return {
    push(text, citations) {
      if (open === undefined) {
        open = begin();
        open.screen.write([[]]);
      }
      open.markdown.push(text, citations);
      open.screen.write(open.markdown.take());
    },
    end() {
      if (open === undefined) return;
      const { screen, markdown } = open;
      open = undefined;
      // Code whose colours are not there yet goes without them.
      screen.write([...markdown.take(), ...markdown.pending(Number.POSITIVE_INFINITY), []]);
      screen.close();
    },
    wrap: (text) =>
      sanitize(text)
        .split("\n")
        .flatMap((line) => wrapNote(line, stdout.columns || 80))
        .join("\n"),
  };
}

function wrapNote(text: string, columns: number): string[] {
  const [blanks = ""] = /^ {0,8}/.exec(text) ?? [];
  return wrapLine(createLine(text), columns, { hanging: [{ text: blanks }] }).map(toPlainText);
}

interface AnswerLook {
  wantsColours: boolean;
  hyperlinks: boolean;
}

/** Returns undefined where the answer is to come as the model writes it: into a pipe or a file, and on a terminal that shows plain lines. */
export function openTerminalAnswer(
  { stdout }: Pick<Console, "stdout">,
  { environment, terminal }: Pick<Config, "environment" | "terminal">,
  { wantsColours, hyperlinks, locale, echo }: AnswerLook & Pick<TerminalAnswerOptions, "locale" | "echo">,
): TerminalAnswer | undefined {
  const isWideEnough = (stdout.columns ?? 0) >= fewestColumns;
  const isPlain = environment.TERM === "dumb" || terminal.screenReader;
  if (!stdout.isTTY || isPlain || !isWideEnough) return undefined;
  const theme = createTheme(chooseTheme({ environment, wantsColours, configured: terminal.theme }));
  return createTerminalAnswer({ stdout, reflow: chooseReflow(environment), look: { theme, hyperlinks }, locale, echo });
}

/** In fewer columns laid out text is harder to read than plain text. */
const fewestColumns = 20;
