import { join } from "node:path";
import type { Config } from "../../config/load-config.ts";
import type { Console } from "../console.ts";
import { openHistory } from "../terminal/editor/history/history-file.ts";
import { canShowHyperlinks } from "../terminal/screen/shows-hyperlinks.ts";
import type { ChatHandler, ChatInterface } from "./answer-question.ts";
import type { StepLog } from "./steps/step-words.ts";

export interface OpenInterfaceOptions {
  console: Console;
  config: Config;
  /** What the command line says of colours. */
  wantsColours: boolean;
  signal: AbortSignal;
}

/** Opens the face that fits the place: the screen of a terminal, or plain lines. */
export async function openInterface(
  { console, config, wantsColours, signal }: OpenInterfaceOptions,
  handler: ChatHandler,
  steps: StepLog,
): Promise<ChatInterface> {
  const { stdin, stdout } = console;
  const { environment, terminal, agent, conversations, home } = config;
  const { screenReader: isScreenReader, theme: configured } = terminal;
  const { verbose } = agent;
  const hyperlinks = canShowHyperlinks(stdout, environment, wantsColours);
  const isTyped = stdin.isTTY === true;
  const history = openHistory(isTyped && conversations.store === "disk" ? join(home, "history") : undefined);
  const options = { console, handler, steps, history, verbose, signal };
  if (chooseInterface({ stdin, stdout, term: environment.TERM, isScreenReader }) === "plain") {
    const { createPlainInterface } = await import("./plain/plain-interface.ts");
    return createPlainInterface({ ...options, hyperlinks, isScreenReader });
  }
  const [{ openScreenInterface }, { createTheme }, { chooseTheme }, { chooseReflow }] = await Promise.all([
    import("./screen/screen-interface.ts"),
    import("../terminal/screen/theme.ts"),
    import("../terminal/screen/choose-theme.ts"),
    import("../terminal/screen/choose-reflow.ts"),
  ]);
  const theme = createTheme(chooseTheme({ environment, wantsColours, configured }));
  return openScreenInterface({ ...options, look: { theme, hyperlinks }, reflow: chooseReflow(environment) });
}

/** What decides on the face of a chat. */
export interface TerminalTraits {
  readonly stdin: { readonly isTTY?: boolean | undefined };
  /** `columns` in cells; 0 or absent where the terminal does not tell. */
  readonly stdout: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  /** The variable `TERM`. */
  readonly term: string | undefined;
  readonly isScreenReader: boolean;
}

/** The screen only on a terminal that can move its cursor and is wide enough; plain lines everywhere else. */
export function chooseInterface({ stdin, stdout, term, isScreenReader }: TerminalTraits): "screen" | "plain" {
  if (!stdin.isTTY || !stdout.isTTY || isScreenReader || term === "dumb") return "plain";
  return (stdout.columns ?? 0) >= fewestColumns ? "screen" : "plain";
}

/** Below it a menu or a question does not fit. */
const fewestColumns = 20;
