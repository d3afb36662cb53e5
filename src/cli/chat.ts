import { clearLine, createInterface, cursorTo } from "node:readline";
import type { Duet } from "../app.ts";
import { report, toDuetError } from "../core/errors.ts";
import { errorLine } from "../core/lines.ts";
import { say } from "../core/locale.ts";
import { modelName } from "../core/model.ts";
import { createApproveCall } from "./approve-call.ts";
import { type ChatState, modeNames, runCommand } from "./chat-commands.ts";
import { createConfirmPlan } from "./confirm-plan.ts";
import { type Console, writeSafely } from "./console.ts";
import { createAskElicitation } from "./elicit.ts";
import type { Asides } from "./following.ts";
import { createQuietScreen } from "./quiet-screen.ts";
import { createRenderer } from "./render.ts";
import { switchLine } from "./search-switch.ts";
import { takeLines } from "./typed-lines.ts";

export interface ChatOptions {
  duet: Duet;
  console: Console;
  /** The conversation to go on with; a new one when absent. */
  conversationId?: string | undefined;
  mode: ChatState["mode"];
  search: ChatState["search"];
  verbose: boolean;
  /** Whether the terminal shows links. */
  hyperlinks: boolean;
  /** Lines from outside, which must not stand in the one that is being typed. */
  asides?: Asides;
  signal: AbortSignal;
}

/**
 * Answers line by line until the input ends or `/exit`. On a terminal it prompts; with a pipe on stdin it answers each
 * line and ends. Ctrl-C stops the run that is going on; twice at the prompt it leaves.
 */
export async function runChat(options: ChatOptions): Promise<number> {
  const { duet, console, mode, search, verbose, hyperlinks, signal } = options;
  const interactive = console.stdin.isTTY === true && console.stdout.isTTY === true;
  const input = createInterface({
    input: console.stdin,
    output: interactive ? console.stdout : undefined,
    terminal: interactive,
  });
  const lines = takeLines(input);
  let { conversationId } = options;
  let running: AbortController | undefined;
  let isLeaving = false;
  const state: ChatState = {
    locale: duet.locale,
    mode,
    search,
    clear() {
      conversationId = undefined;
    },
    write: (line) => writeSafely(interactive ? console.stdout : console.stderr, `${line}\n`),
  };

  async function askReader(query: string, stop: AbortSignal): Promise<string | undefined> {
    try {
      if (lines.hasEnded) return undefined;
      input.setPrompt(query);
      showPrompt();
      const line = await lines.fresh(stop);
      // With nobody left to ask, what goes on is for nobody.
      if (line === undefined) running?.abort();
      return line;
    } catch (thrown) {
      dropTyped();
      throw thrown;
    }
  }

  /** Shows the prompt with what was typed while something else was on the screen, the cursor after it. */
  function showPrompt(): void {
    input.prompt(true);
  }

  /** Drops the half-typed line, not the conversation. */
  function dropTyped(): void {
    input.write(null, { ctrl: true, name: "e" });
    input.write(null, { ctrl: true, name: "u" });
  }

  function leave(): void {
    isLeaving = true;
  }

  /** A run that went on after a no could ask again. */
  function leaveAtOnce(): void {
    leave();
    running?.abort();
  }

  async function answer(question: string): Promise<void> {
    running = new AbortController();
    const stop = AbortSignal.any([signal, running.signal]);
    const locale = duet.localeFor(question);
    const render = createRenderer({ console, locale, verbose, hyperlinks });
    const screen = createQuietScreen(askReader);
    const reader = interactive ? { locale, ask: screen.ask, write: state.write, leave } : undefined;
    const asking = reader && {
      confirmPlan: createConfirmPlan({ ...reader, showsPlan: false }),
      approveCall: createApproveCall({ ...reader, leave: leaveAtOnce }),
      elicit: createAskElicitation({ ...reader, leave: leaveAtOnce }),
    };
    try {
      const request = { question, conversationId, mode: state.mode, search: search.on, ...asking, signal: stop };
      for await (const event of duet.ask(request)) {
        await screen.free();
        if (event.type === "run-start") conversationId = event.conversationId;
        render(event);
      }
    } catch (thrown) {
      state.write(errorLine(report(toDuetError(thrown), locale)));
    } finally {
      running = undefined;
    }
  }

  function prompt(): void {
    if (!interactive || lines.hasEnded) return;
    const searches = state.mode === "chat" && search.on ? say(duet.locale, { zh: " · 搜索", en: " · search" }) : "";
    input.setPrompt(`${say(duet.locale, modeNames[state.mode])}${searches} > `);
    showPrompt();
  }

  options.asides?.showBy((line) => {
    if (!interactive || running) return state.write(line);
    clearLine(console.stdout, 0);
    cursorTo(console.stdout, 0);
    state.write(line);
    showPrompt();
  });

  let lastCtrlC = Number.NEGATIVE_INFINITY;
  input.on("SIGINT", () => {
    if (running) return running.abort();
    const twice = performance.now() - lastCtrlC < 2_000;
    lastCtrlC = performance.now();
    if (twice) return input.close();
    dropTyped();
    state.write(say(duet.locale, { zh: "\n再按一次 Ctrl-C 退出。", en: "\nPress Ctrl-C again to leave." }));
    prompt();
  });
  signal.addEventListener("abort", () => input.close(), { once: true });
  if (interactive) await welcome(duet, state);
  prompt();
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    const text = line.trim();
    if (text.startsWith("/")) {
      if (runCommand(text, state) === "exit") break;
    } else if (text !== "") await answer(text);
    if (isLeaving || signal.aborted) break;
    prompt();
  }
  input.close();
  return 0;
}

async function welcome(duet: Duet, state: ChatState): Promise<void> {
  const { functionCall, answer } = await duet.models();
  const mode = say(duet.locale, modeNames[state.mode]);
  const models = functionCall === answer ? modelName(answer) : `${modelName(functionCall)} → ${modelName(answer)}`;
  const search = state.mode === "chat" ? ` · ${switchLine(state)}` : "";
  state.write(
    say(duet.locale, {
      zh: `Duet · ${mode}${search} · ${models} · /help 查看命令，/exit 退出`,
      en: `Duet · ${mode}${search} · ${models} · /help lists the commands, /exit leaves`,
    }),
  );
}
