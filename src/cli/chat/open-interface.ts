import { join } from "node:path";
import type { Config } from "../../config/load-config.ts";
import type { Console } from "../console.ts";
import { openHistory } from "../terminal/editor/history/history-file.ts";
import { showsHyperlinks } from "../terminal/screen/shows-hyperlinks.ts";
import type { ChatFace, ChatHandler } from "./chat-interface.ts";
import { chooseFace } from "./choose-interface.ts";
import type { StepBook } from "./steps/step.ts";

export interface OpenFaceOptions {
  console: Console;
  config: Config;
  /** What the command line says of colours. */
  wantsColours: boolean;
  signal: AbortSignal;
}

/** Opens the face that fits the place: the screen of a terminal, or plain lines. */
export async function openFace(
  { console, config, wantsColours, signal }: OpenFaceOptions,
  handler: ChatHandler,
  steps: StepBook,
): Promise<ChatFace> {
  const { stdin, stdout } = console;
  const { environment, terminal, agent, conversations, home } = config;
  const { screenReader: isScreenReader, theme: configured } = terminal;
  const { verbose } = agent;
  const hyperlinks = showsHyperlinks(stdout, environment, wantsColours);
  const isTyped = stdin.isTTY === true;
  const history = openHistory(isTyped && conversations.store === "disk" ? join(home, "history") : undefined);
  const options = { console, handler, steps, history, verbose, signal };
  if (chooseFace({ stdin, stdout, term: environment.TERM, isScreenReader }) === "plain") {
    const { createPlainFace } = await import("./plain/plain-interface.ts");
    return createPlainFace({ ...options, hyperlinks, isScreenReader });
  }
  const [{ openScreenFace }, { createTheme }, { chooseTheme }, { chooseReflow }] = await Promise.all([
    import("./screen/screen-interface.ts"),
    import("../terminal/screen/theme.ts"),
    import("../terminal/screen/choose-theme.ts"),
    import("../terminal/screen/choose-reflow.ts"),
  ]);
  const theme = createTheme(chooseTheme({ environment, wantsColours, configured }));
  return openScreenFace({ ...options, look: { theme, hyperlinks }, reflow: chooseReflow(environment) });
}
