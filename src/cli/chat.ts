import { createInterface } from "node:readline";
import type { Duet } from "../app.ts";
import { report, toDuetError } from "../core/errors.ts";
import { errorLine } from "../core/lines.ts";
import { say } from "../core/locale.ts";
import { modelName } from "../core/model.ts";
import { type ChatState, modeNames, runCommand } from "./chat-commands.ts";
import { type Console, writeSafely } from "./console.ts";
import { createRenderer } from "./render.ts";

export interface ChatOptions {
  duet: Duet;
  console: Console;
  mode: ChatState["mode"];
  verbose: boolean;
  signal: AbortSignal;
}

/**
 * Answers line by line until the input ends or `/exit`. On a terminal it prompts; with a pipe on stdin it answers each
 * line and ends. Ctrl-C stops the run that is going on; twice at the prompt it leaves.
 */
export async function runChat({ duet, console, mode, verbose, signal }: ChatOptions): Promise<number> {
  const interactive = console.stdin.isTTY === true && console.stdout.isTTY === true;
  const input = createInterface({
    input: console.stdin,
    output: interactive ? console.stdout : undefined,
    terminal: interactive,
  });
  let conversationId: string | undefined;
  let running: AbortController | undefined;
  const state: ChatState = {
    locale: duet.locale,
    mode,
    clear() {
      conversationId = undefined;
    },
    write: (line) => writeSafely(interactive ? console.stdout : console.stderr, `${line}\n`),
  };

  async function answer(question: string): Promise<void> {
    running = new AbortController();
    const stop = AbortSignal.any([signal, running.signal]);
    const locale = duet.localeFor(question);
    const render = createRenderer({ console, locale, verbose });
    try {
      for await (const event of duet.ask({ question, conversationId, mode: state.mode, signal: stop })) {
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
    if (!interactive) return;
    input.setPrompt(`${say(duet.locale, modeNames[state.mode])} > `);
    input.prompt();
  }

  let lastCtrlC = Number.NEGATIVE_INFINITY;
  input.on("SIGINT", () => {
    if (running) return running.abort();
    const twice = performance.now() - lastCtrlC < 2_000;
    lastCtrlC = performance.now();
    if (twice) return input.close();
    // Drops the half-typed line, not the conversation.
    input.write(null, { ctrl: true, name: "u" });
    state.write(say(duet.locale, { zh: "\n再按一次 Ctrl-C 退出。", en: "\nPress Ctrl-C again to leave." }));
    prompt();
  });
  signal.addEventListener("abort", () => input.close(), { once: true });
  const lines = input[Symbol.asyncIterator]();
  if (interactive) await welcome(duet, state);
  prompt();
  for await (const line of lines) {
    const text = line.trim();
    if (text.startsWith("/")) {
      if (runCommand(text, state) === "exit") break;
    } else if (text !== "") await answer(text);
    if (signal.aborted) break;
    prompt();
  }
  input.close();
  return 0;
}

async function welcome(duet: Duet, state: ChatState): Promise<void> {
  const { functionCall, answer } = await duet.models();
  const mode = say(duet.locale, modeNames[state.mode]);
  const models = functionCall === answer ? modelName(answer) : `${modelName(functionCall)} → ${modelName(answer)}`;
  state.write(
    say(duet.locale, {
      zh: `Duet · ${mode} · ${models} · /help 查看命令，/exit 退出`,
      en: `Duet · ${mode} · ${models} · /help lists the commands, /exit leaves`,
    }),
  );
}
