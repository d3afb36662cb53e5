import type { Console } from "../src/cli/console.ts";
import { nothingKept } from "../src/cli/nothing-kept.ts";
import type { Config } from "../src/config.ts";
import { cutText } from "../src/core/cut-text.ts";
import { DuetError } from "../src/core/errors.ts";
import { say, type Text } from "../src/core/locale.ts";
import type { Notice } from "../src/core/notice.ts";
import type { Mode } from "../src/core/outcome.ts";
import { printableLine } from "../src/core/printable.ts";
import { abortable } from "../src/core/waiting.ts";
import { conversationChoice, exposeOf, pageOf, toFlags, type Values } from "./options.ts";

/** What a command line asks for; gives the exit code. */
export type Action = (context: Context) => Promise<number>;

export interface Context {
  console: Console;
  signal: AbortSignal;
}

/** Serves MCP over stdio until the client leaves. */
export function serve(values: Values): Action {
  const exposed = exposeOf(values);
  return async ({ console, signal }) => {
    const [config, { openDuet }, { serveOverStdio }] = await Promise.all([
      load(values, console),
      import("../src/app.ts"),
      import("../src/server/stdio.ts"),
    ]);
    const duet = await abortable(openDuet(config, { warn: warning(config, console) }), signal);
    const log = (line: string): void => writeLine(console, cutText(printableLine(line), 1000));
    try {
      // Whole results: who asks for them reads them to find out what went wrong.
      const logSteps = config.agent.verbose ? (line: string) => writeLine(console, printableLine(line)) : undefined;
      const face = { duet, stdin: console.stdin, log, signal, mode: modeOf(values), logSteps, ...exposed };
      await following(values, { duet, config, console, signal }, () => serveOverStdio(face));
    } finally {
      await closeDuet(duet, console);
    }
    return 0;
  };
}

/** Answers one question. */
export function ask(values: Values): Action {
  const choice = conversationChoice(values);
  return withDuet(values, async ({ duet, config, console, signal }) => {
    const [{ runAsk }, { readQuestion }, { showsHyperlinks }] = await Promise.all([
      import("../src/cli/ask.ts"),
      import("../src/cli/question.ts"),
      import("../src/cli/hyperlinks.ts"),
    ]);
    const question = await readQuestion(text(values.question), console);
    if (question === "") throw noQuestion();
    const { output } = values;
    const conversationId = await chosenConversation(choice, { duet, config });
    return runAsk({
      duet,
      console,
      request: { question, conversationId, mode: modeOf(values), signal },
      output: output === "json" || output === "jsonl" ? output : "text",
      verbose: config.agent.verbose,
      hyperlinks: showsHyperlinks(console.stdout, config.environment, values["no-color"] !== true),
    });
  });
}

/** The terminal chat. A pipe on stdin is asked line by line in agent mode, as `ask` does. */
export function chat(values: Values): Action {
  const choice = conversationChoice(values);
  return withDuet(values, async ({ duet, config, console, signal }) => {
    const [{ runChat }, { showsHyperlinks }] = await Promise.all([
      import("../src/cli/chat.ts"),
      import("../src/cli/hyperlinks.ts"),
    ]);
    const mode = modeOf(values) ?? (console.stdin.isTTY ? await startMode(config, duet) : "agent");
    const conversationId = await chosenConversation(choice, { duet, config });
    if (choice === "latest") await tellTitle(duet, console);
    const { enabled } = config.search;
    const options = {
      duet,
      console,
      conversationId,
      mode,
      search: { on: enabled === true, isBarred: enabled === false },
      verbose: config.agent.verbose,
      hyperlinks: showsHyperlinks(console.stdout, config.environment, values["no-color"] !== true),
      signal,
    };
    if (!console.stdin.isTTY) return runChat(options);
    return following(values, { duet, config, console, signal }, () => runChat(options));
  });
}

/** Lists the tools, or calls one by hand. */
export function tools(values: Values): Action {
  return withDuet(values, async ({ duet, config, console, signal }) => {
    const { callTool, listTools } = await import("../src/cli/tools-command.ts");
    const options = { duet, console, signal, output: formOf(values) };
    const name = text(values.name);
    if (name === undefined) await tellDangers(config, console);
    return name === undefined ? listTools(options) : callTool(options, name, text(values.json) ?? "{}");
  });
}

/** Shows the tools that wait to be approved, and approves them. */
export function approve(values: Values): Action {
  return withDuet(values, async ({ duet, console, signal }) => {
    const { approveTools } = await import("../src/cli/approve-tools.ts");
    const options = { duet, console, signal, output: formOf(values), yes: values.yes === true };
    return approveTools(options, texts(values.names));
  });
}

/** Shows the trace of a run; nothing but the store is opened. */
export function trace(values: Values): Action {
  return withStore(values, async ({ store, config: { locale, agent, conversations }, console }) => {
    const { runTrace } = await import("../src/cli/trace-command.ts");
    const isKept = conversations.store !== "memory";
    const options = { store, isKept, console, locale, output: formOf(values), verbose: agent.verbose };
    return runTrace(options, text(values.run));
  });
}

/** Lists, shows or deletes conversations; nothing but the store is opened. */
export function conversations(action: "list" | "show" | "delete", values: Values): Action {
  const page = pageOf(values);
  return withStore(values, async ({ store, config, console }) => {
    const { deleteConversations, listConversations, showConversation } = await import(
      "../src/cli/conversations-command.ts"
    );
    const isKept = config.conversations.store !== "memory";
    const options = { store, isKept, console, locale: config.locale, output: formOf(values) };
    if (action === "list") return listConversations(options, page);
    if (action === "show") return showConversation(options, text(values.id) ?? "");
    return deleteConversations(options, texts(values.ids));
  });
}

/** Checks configuration, keys, models and servers; a line each. */
export function doctor(values: Values): Action {
  return withDuet(values, async ({ duet, config, console, signal }) => {
    const { runDoctor } = await import("../src/cli/doctor.ts");
    return runDoctor({ duet, config, console, signal, output: formOf(values) });
  });
}

/** Signs in to a remote server, or forgets it; nothing but that server is opened. */
export function login(values: Values): Action {
  return async ({ console, signal }) => {
    const [config, { runLogin, runLogout }] = await Promise.all([load(values, console), import("../src/cli/login.ts")]);
    const command = { config, server: text(values.server) ?? "", console, signal };
    return values.remove === true ? runLogout(command) : runLogin(command);
  };
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
      note: (line) => writeLine(console, printableLine(line)),
    });
    return 0;
  };
}

/** Shows what the configuration that was found here would start, and remembers that it may. */
export function trustConfig(values: Values): Action {
  return async ({ console, signal }) => {
    const [{ runTrust }, { canBeAsked, openTerminalQuestions }] = await Promise.all([
      import("../src/cli/trust-command.ts"),
      import("../src/cli/reader.ts"),
    ]);
    const terminal = canBeAsked(console) ? openTerminalQuestions(console) : undefined;
    const confirm = async (query: string): Promise<boolean> => {
      terminal?.listen();
      return /^\s*(?:y|yes|是)\s*$/i.test((await terminal?.ask(query, signal)) ?? "");
    };
    try {
      return await runTrust({
        flags: toFlags(values),
        output: formOf(values),
        yes: values.yes === true,
        ...(terminal && { confirm }),
        write: (lines) => void console.stdout.write(lines),
      });
    } finally {
      terminal?.close();
    }
  };
}

interface Opened extends Context {
  config: Config;
  duet: import("../src/app.ts").Duet;
}

/** Does work that lasts, and meanwhile takes the servers of a configuration that changes. */
async function following<T>(values: Values, opened: Opened, work: () => Promise<T>): Promise<T> {
  const { duet, config, console, signal } = opened;
  const over = new AbortController();
  void import("../src/app/reload.ts").then(({ watchConfig }) =>
    watchConfig({
      config,
      flags: toFlags(values),
      onServers: (servers) => duet.configure(servers),
      warn: warning(config, console),
      signal: AbortSignal.any([signal, over.signal]),
    }),
  );
  try {
    return await work();
  } finally {
    over.abort();
  }
}

function withDuet(values: Values, work: (opened: Opened) => Promise<number>): Action {
  return async (context) => {
    const [config, { openDuet }] = await Promise.all([load(values, context.console), import("../src/app.ts")]);
    const duet = await abortable(openDuet(config, { warn: warning(config, context.console) }), context.signal);
    try {
      return await work({ ...context, config, duet });
    } finally {
      await closeDuet(duet, context.console);
    }
  };
}

/** What no run has told of the store is told here, also what was found out at its last words. */
async function closeDuet(duet: Opened["duet"], console: Console): Promise<void> {
  await duet.close();
  tell(await duet.takeNotices(), console);
}

function tell(notices: readonly Notice[], console: Console): void {
  for (const { message } of notices) writeLine(console, printableLine(message));
}

interface OpenedStore extends Context {
  config: Config;
  store: import("../src/app.ts").ConversationStore;
}

/** Opens nothing but the store. */
function withStore(values: Values, work: (opened: OpenedStore) => Promise<number>): Action {
  return async (context) => {
    const { console } = context;
    const [config, { openStore }] = await Promise.all([load(values, console), import("../src/app/store.ts")]);
    const { store, problem, takeNotices } = await openStore(config);
    if (problem) throw problem;
    try {
      return await work({ ...context, config, store });
    } finally {
      await store.close();
      tell(takeNotices(config.locale), console);
    }
  };
}

/** The configuration; what is set in it and not obeyed yet is told on stderr. */
async function load(values: Values, console: Console): Promise<Config> {
  const { leftOutLine, loadConfig, unusedLine, unusedSettings } = await import("../src/config.ts");
  const config = await loadConfig(toFlags(values));
  for (const line of [leftOutLine(config.leftOut), unusedLine(unusedSettings(config))]) {
    if (line) warning(config, console)(line);
  }
  return config;
}

/** The variables of servers that can make them run other code: obeyed, and told. */
async function tellDangers(config: Config, console: Console): Promise<void> {
  const { dangerousLine, dangerousVariables } = await import("../src/config.ts");
  for (const found of dangerousVariables(config.servers)) warning(config, console)(dangerousLine(found));
}

function warning({ locale }: Config, console: Console): (line: Text) => void {
  return (line) => writeLine(console, printableLine(say(locale, line)));
}

function writeLine({ stderr }: Console, line: string): void {
  stderr.write(`duet: ${line}\n`);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

async function chosenConversation(
  choice: ReturnType<typeof conversationChoice>,
  { duet, config }: Pick<Opened, "duet" | "config">,
): Promise<string | undefined> {
  if (choice !== "latest") return choice?.id;
  const latest = await (await duet.store()).latest();
  if (latest === undefined) throw noConversation(config);
  return latest;
}

function noConversation({ conversations }: Config): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: "--continue: 还没有可以继续的对话",
      en: "--continue: there is no conversation to go on with yet",
    },
    hint: conversations.store === "memory" ? nothingKept : undefined,
  });
}

/** Which conversation a chat goes on with. */
async function tellTitle(duet: Opened["duet"], { stderr }: Console): Promise<void> {
  const [last] = await (await duet.store()).list({ limit: 1, offset: 0 });
  if (last === undefined) return;
  const title = cutText(printableLine(last.title || last.id), 100);
  stderr.write(`${say(duet.locale, { zh: `继续对话：${title}`, en: `Going on with: ${title}` })}\n`);
}

function formOf({ output }: Values): "json" | "text" {
  return output === "json" ? "json" : "text";
}

function modeOf({ mode }: Values): Mode | undefined {
  return mode === "chat" || mode === "agent" || mode === "plan" ? mode : undefined;
}

/** The configured mode; where nobody chose one and there is no model, agent mode: the rules are nothing without tools. */
async function startMode({ agent, settings }: Config, duet: Opened["duet"]): Promise<Mode> {
  const { terminalMode } = agent;
  const chosen = settings.terminalMode ?? agent.mode;
  if (chosen !== undefined) return terminalMode;
  const { answer } = await duet.models();
  return answer.provider === "offline" ? "agent" : "chat";
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
