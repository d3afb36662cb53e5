import type { Console } from "../src/cli/console.ts";
import type { Config } from "../src/config.ts";
import { cutText } from "../src/core/cut-text.ts";
import { DuetError } from "../src/core/errors.ts";
import { say } from "../src/core/locale.ts";
import { printableLine } from "../src/core/printable.ts";
import { toFlags, type Values } from "./options.ts";

/** What a command line asks for; gives the exit code. */
export type Action = (context: Context) => Promise<number>;

export interface Context {
  console: Console;
  signal: AbortSignal;
}

/** Serves MCP over stdio until the client leaves. */
export function serve(values: Values): Action {
  return async ({ console, signal }) => {
    const [config, { openDuet }, { serveOverStdio }] = await Promise.all([
      load(values, console),
      import("../src/app.ts"),
      import("../src/server/stdio.ts"),
    ]);
    const duet = openDuet(config);
    const log = (line: string): void => void console.stderr.write(`duet: ${cutText(printableLine(line), 1000)}\n`);
    try {
      const logSteps = config.agent.verbose ? log : undefined;
      await serveOverStdio({ duet, stdin: console.stdin, log, signal, mode: modeOf(values), logSteps });
    } finally {
      await duet.close();
    }
    return 0;
  };
}

/** Answers one question. */
export function ask(values: Values): Action {
  return withDuet(values, async ({ duet, config, console, signal }) => {
    const [{ runAsk }, { readQuestion }] = await Promise.all([
      import("../src/cli/ask.ts"),
      import("../src/cli/question.ts"),
    ]);
    const question = await readQuestion(text(values.question), console);
    if (question === "") throw noQuestion();
    const { output } = values;
    return runAsk({
      duet,
      console,
      request: { question, mode: modeOf(values), signal },
      output: output === "json" || output === "jsonl" ? output : "text",
      verbose: config.agent.verbose,
    });
  });
}

/** The terminal chat. A pipe on stdin is asked line by line in agent mode, as `ask` does. */
export function chat(values: Values): Action {
  return withDuet(values, async ({ duet, config, console, signal }) => {
    const { runChat } = await import("../src/cli/chat.ts");
    const mode = modeOf(values) ?? (console.stdin.isTTY ? await startMode(config, duet) : "agent");
    return runChat({ duet, console, mode, verbose: config.agent.verbose, signal });
  });
}

/** Lists the tools, or calls one by hand. */
export function tools(values: Values): Action {
  return withDuet(values, async ({ duet, console, signal }) => {
    const { callTool, listTools } = await import("../src/cli/tools-command.ts");
    const options = { duet, console, signal, output: formOf(values) };
    const name = text(values.name);
    return name === undefined ? listTools(options) : callTool(options, name, text(values.json) ?? "{}");
  });
}

/** Checks configuration, keys, models and servers; a line each. */
export function doctor(values: Values): Action {
  return withDuet(values, async ({ duet, config, console, signal }) => {
    const { runDoctor } = await import("../src/cli/doctor.ts");
    return runDoctor({ duet, config, console, signal, output: formOf(values) });
  });
}

/** Shows the configuration in force, or writes a starter file. */
export function config(action: "show" | "path" | "schema" | "init", values: Values): Action {
  return async ({ console }) => {
    const { runConfigCommand } = await import("../src/cli/config-command.ts");
    const write = (lines: string): void => void console.stdout.write(lines);
    await runConfigCommand(action, {
      flags: toFlags(values),
      output: formOf(values),
      write,
    });
    return 0;
  };
}

interface Opened extends Context {
  config: Config;
  duet: import("../src/app.ts").Duet;
}

function withDuet(values: Values, work: (opened: Opened) => Promise<number>): Action {
  return async (context) => {
    const [config, { openDuet }] = await Promise.all([load(values, context.console), import("../src/app.ts")]);
    const duet = openDuet(config);
    try {
      return await work({ ...context, config, duet });
    } finally {
      await duet.close();
    }
  };
}

/** The configuration; what is set in it and not obeyed yet is told on stderr. */
async function load(values: Values, console: Console): Promise<Config> {
  const { loadConfig, unusedSettings } = await import("../src/config.ts");
  const config = await loadConfig(toFlags(values));
  const unused = unusedSettings(config).join(", ");
  const line = { zh: `已设置但此版本尚不使用：${unused}`, en: `set, but not used by this version yet: ${unused}` };
  if (unused !== "") console.stderr.write(`duet: ${say(config.locale, line)}\n`);
  return config;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function formOf({ output }: Values): "json" | "text" {
  return output === "json" ? "json" : "text";
}

function modeOf({ mode }: Values): "chat" | "agent" | undefined {
  return mode === "chat" || mode === "agent" ? mode : undefined;
}

/** The configured mode; where nobody chose one and there is no model, agent mode: the rules are nothing without tools. */
async function startMode({ agent, settings }: Config, duet: Opened["duet"]): Promise<"chat" | "agent"> {
  const { terminalMode } = agent;
  if (terminalMode === "plan") throw noPlanMode();
  const chosen = settings.terminalMode ?? agent.mode;
  if (chosen !== undefined) return terminalMode;
  const { answer } = await duet.models();
  return answer.provider === "offline" ? "agent" : "chat";
}

function noPlanMode(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: 'mode: 这个版本还没有 "plan"（允许：chat、agent）',
      en: 'mode: "plan" is not in this version yet (chat, agent)',
    },
  });
}

function noQuestion(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: '没有问题：用法 duet ask "问题"，或从标准输入给出',
      en: 'no question: duet ask "question", or give it on stdin',
    },
  });
}
