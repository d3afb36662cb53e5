import type { Config } from "../../../config/config.ts";
import type { TypedHistory } from "../../../core/store/typed-history.ts";
import type { Console } from "../../console.ts";
import { openHistory } from "../../terminal/editor/input-history.ts";
import { canShowHyperlinks } from "../../terminal/text/hyperlink.ts";
import type { StepLog } from "../steps/step.ts";
import type { ChatHandler, ChatInterface } from "./chat-interface.ts";

export interface OpenInterfaceOptions {
  console: Console;
  config: Config;
  /** Says whether the command line asks for colours. */
  wantsColours: boolean;
  /** Stores what is typed; when absent, it lasts as long as the chat. */
  typedHistory?: TypedHistory | undefined;
  signal: AbortSignal;
}

/** Opens the interface that the terminal allows: a screen, or plain lines. */
export async function openInterface(
  { console, config, wantsColours, typedHistory, signal }: OpenInterfaceOptions,
  handler: ChatHandler,
  steps: StepLog,
): Promise<ChatInterface> {
  const { stdin, stdout } = console;
  const { environment, terminal, agent } = config;
  const { screenReader: isScreenReader, theme: configured, notify } = terminal;
  const { verbose } = agent;
  const hyperlinks = canShowHyperlinks(stdout, environment, wantsColours);
  const history = await openHistory(stdin.isTTY === true ? typedHistory : undefined);
  const options = { console, handler, steps, history, verbose, environment, signal };
  if (chooseInterface({ stdin, stdout, term: environment.TERM, isScreenReader }) === "plain") {
    const { createPlainInterface } = await import("./plain/plain-interface.ts");
    return createPlainInterface({ ...options, hyperlinks, isScreenReader });
  }
  const [{ openScreenInterface }, { createTheme, chooseTheme }, { chooseReflow }, { chooseNotification }] =
    await Promise.all([
      import("./screen/screen-interface.ts"),
      import("../../terminal/screen/theme.ts"),
      import("../../terminal/screen/choose-reflow.ts"),
      import("../../terminal/screen/notifications.ts"),
    ]);
  const theme = createTheme(chooseTheme({ environment, wantsColours, configured }));
  const notification = chooseNotification({ environment, configured: notify });
  const look = { theme, hyperlinks };
  return openScreenInterface({ ...options, look, reflow: chooseReflow(environment), notification });
}

/** Holds what decides which interface a chat gets. */
export interface TerminalTraits {
  readonly stdin: { readonly isTTY?: boolean | undefined };
  /** Has `columns` in cells. The number is 0 or undefined when the terminal does not report it. */
  readonly stdout: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  /** Holds the variable `TERM`. */
  readonly term: string | undefined;
  readonly isScreenReader: boolean;
}

/** Chooses the screen only on a terminal that can move its cursor and is wide enough, and plain lines everywhere else. */
export function chooseInterface({ stdin, stdout, term, isScreenReader }: TerminalTraits): "screen" | "plain" {
  if (!stdin.isTTY || !stdout.isTTY || isScreenReader || term === "dumb") return "plain";
  return (stdout.columns ?? 0) >= fewestColumns ? "screen" : "plain";
}

/** A menu or a question does not fit into fewer columns. */
const fewestColumns = 20;
