import { stat } from "node:fs/promises";
import type { HookCall, HookEvent, HookReply, HookRunner } from "../../core/hooks.ts";
import { isMatchingCall, parseToolPatterns } from "../../core/tools/tool-pattern.ts";
import { timeoutError } from "../../kit/async/timeout.ts";
import { DuetError, getMessage, toDuetError } from "../../kit/errors.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { createChildEnvironment, type Environment } from "../../kit/process/child-environment.ts";
import { createLifeline, type Lifeline } from "../../kit/process/lifeline.ts";
import type { Redactor } from "../../kit/text/redact.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { createModuleHost, type ModuleHost } from "../modules/module-host.ts";
import { runScript } from "../skills/script-tool.ts";
import { isMatchingEvent } from "./match-event.ts";
import { type HookOutput, readReply } from "./read-reply.ts";

/** Describes one hook, as the configuration has it. */
export interface HookHandler {
  type: "command" | "module";
  command?: string | undefined;
  args?: readonly string[] | undefined;
  module?: string | undefined;
  if?: string | undefined;
  timeout?: number | undefined;
  statusMessage?: string | undefined;
  shell?: "bash" | undefined;
  inheritEnv?: readonly string[] | undefined;
}

export interface HookGroup {
  matcher?: string | undefined;
  /** Stands for the tool's own name in what the hooks read. */
  toolName?: string | undefined;
  hooks: readonly HookHandler[];
}

export interface HookOptions {
  groups: Readonly<Partial<Record<HookEvent, readonly HookGroup[]>>>;
  /** Is the working folder, in which commands run. */
  directory: string;
  /** Holds the environment of this process, of which a command sees only what it needs to run. */
  environment: Environment;
  redactor: Redactor;
  /** Receives a line where a module ends while nobody waits for it. */
  warn(line: Text): void;
}

export interface OpenedHooks {
  hooks: HookRunner;
  close(): Promise<void>;
}

/** Limits a hook, in seconds, where it sets no limit itself. */
const usualSeconds = 600;
/** A hook before each question holds up the whole chat. */
const usualSecondsAtQuestion = 30;

const loadMs = 10_000;

/**
 * Opens the hooks of the configuration. Throws a `config` error of one line for a module that is not there, does not load, or exports
 * no function: a guard that does not work must not be missed.
 */
export async function openHooks({ groups, ...options }: HookOptions): Promise<OpenedHooks> {
  const lifeline = createLifeline(options.environment.PATH);
  const modules = new Map<string, ModuleHost<"function">>();
  const close = async (): Promise<void> => {
    lifeline.close();
    await Promise.all([...modules.values()].map((host) => host.close()));
  };
  try {
    for (const [event, { module }] of listHandlers(groups)) {
      if (module === undefined || modules.has(module)) continue;
      // Each call has the limit of its own hook.
      const limits = { loadMs, callMs: usualSeconds * 1000 };
      modules.set(module, await openModule(module, `hooks.${event}: ${module}`, { limits, warn: options.warn }));
    }
  } catch (thrown) {
    await close();
    throw thrown;
  }
  const services = { ...options, lifeline, modules };
  return {
    hooks: {
      has: (...events) => events.some((event) => (groups[event] ?? []).length > 0),
      async run(call) {
        const groupsThatFit = (groups[call.event] ?? []).filter(({ matcher }) =>
          isMatchingEvent(matcher, call.subject),
        );
        const running = groupsThatFit.flatMap((group) =>
          group.hooks.filter((hook) => isWanted(hook, call)).map((hook) => runHook({ hook, group, call }, services)),
        );
        return Promise.all(running);
      },
    },
    close,
  };
}

function listHandlers(groups: HookOptions["groups"]): [event: string, hook: HookHandler][] {
  return Object.entries(groups).flatMap(([event, list]) =>
    list.flatMap(({ hooks }) => hooks.map((hook): [string, HookHandler] => [event, hook])),
  );
}

async function openModule(
  path: string,
  place: string,
  options: { limits: { loadMs: number; callMs: number }; warn(line: Text): void },
): Promise<ModuleHost<"function">> {
  const refuse = ({ zh, en }: Text, cause?: unknown): DuetError =>
    new DuetError({ code: "config", text: { zh: `${place}: ${zh}`, en: `${place}: ${en}` }, cause });
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw refuse({ zh: "没有这个文件", en: "there is no such file" });
  const host = createModuleHost<"function">({ kind: "function", path, file: path, lendTo: [], ...options });
  const { found } = await host.load().catch((thrown: unknown) => {
    throw refuse(toDuetError(thrown).text, thrown);
  });
  if (found === "function") return host;
  await host.close();
  throw refuse({
    zh: "默认导出不是函数（需要：export default (input) => …）",
    en: "its default export is not a function (export default (input) => … is needed)",
  });
}

/** Compares the `if` of a hook with the call. At an event that is no call, a hook with it never runs. */
function isWanted({ if: condition }: HookHandler, { call }: HookCall): boolean {
  if (condition === undefined) return true;
  return (
    call !== undefined &&
    parseToolPatterns([condition]).some((one) => isMatchingCall(one, call.tool, call.args, "some"))
  );
}

interface HookServices extends Omit<HookOptions, "groups"> {
  lifeline: Lifeline;
  modules: ReadonlyMap<string, ModuleHost<"function">>;
}

/** Rejects only when the signal aborts. */
async function runHook(
  { hook, group, call }: { hook: HookHandler; group: HookGroup; call: HookCall },
  services: HookServices,
): Promise<HookReply> {
  const { event, signal } = call;
  const seconds = hook.timeout ?? (event === "UserPromptSubmit" ? usualSecondsAtQuestion : usualSeconds);
  const { redact } = services.redactor;
  const name = redact(toHookName(event, group.matcher, hook));
  call.onStart?.(
    hook.statusMessage === undefined ? describeHook(name) : { zh: hook.statusMessage, en: hook.statusMessage },
  );
  const { toolName } = group;
  const named: JsonObject = toolName !== undefined && "tool_name" in call.input ? { tool_name: toolName } : {};
  const input = { cwd: services.directory, hook_event_name: event, ...call.input, ...named };
  try {
    const output = await (hook.type === "module" ? runModule : runCommand)(hook, { input, signal, seconds }, services);
    return typeof output === "string"
      ? { name, problem: describeStop(output, seconds) }
      : readReply(name, event, output, redact);
  } catch (thrown) {
    signal.throwIfAborted();
    const why = toShortLine(redact(getMessage(thrown)), 300);
    return { name, problem: { zh: `没有运行：${why}`, en: `it did not run: ${why}` } };
  }
}

/** Says why a hook was ended early. */
type Stop = "time" | "output";

interface HookWork {
  input: JsonObject;
  signal: AbortSignal;
  seconds: number;
}

/** Runs a command in a process group of its own, which ends with its time, with the run, or with us. */
async function runCommand(
  { command = "", args, shell, inheritEnv }: HookHandler,
  { input, signal, seconds }: HookWork,
  { directory, environment, lifeline }: HookServices,
): Promise<HookOutput | Stop> {
  const places = { CLAUDE_PROJECT_DIR: directory, DUET_PROJECT_DIR: directory };
  const fill = (text: string): string => text.replace(/\$\{(?:CLAUDE|DUET)_PROJECT_DIR\}/g, () => directory);
  const ran = await runScript(
    {
      ...(args === undefined
        ? { command: shell ?? "sh", args: ["-c", command] }
        : { command: fill(command), args: args.map(fill) }),
      cwd: directory,
      env: createChildEnvironment(environment, { env: places, inheritEnv: inheritEnv ?? [] }),
      stdin: `${JSON.stringify(input)}\n`,
      timeoutMs: seconds * 1000,
      signal,
    },
    lifeline,
  );
  if (ran.stopped !== undefined) return ran.stopped;
  const { code, error } = ran.ending;
  if (error !== undefined) throw error;
  return { code, stdout: ran.output, stderr: ran.errors };
}

/** Calls a module, in its own thread, with what a command gets on stdin. It returns what a command would print. */
async function runModule(
  { module = "" }: HookHandler,
  { input, signal, seconds }: HookWork,
  { modules }: HookServices,
): Promise<HookOutput | Stop> {
  const host = modules.get(module);
  if (host === undefined) throw new Error(`${module} is not open`);
  const late = timeoutError(module, seconds * 1000);
  try {
    const said = await host.call(input, { signal, label: module, limitMs: seconds * 1000, lateError: () => late });
    const stdout = said === undefined ? "" : typeof said === "string" ? said : JSON.stringify(said);
    return { code: 0, stdout, stderr: "" };
  } catch (thrown) {
    if (thrown instanceof DuetError && thrown.code === "timeout") return "time";
    throw thrown;
  }
}

function toHookName(
  event: HookEvent,
  matcher: string | undefined,
  { command, args = [], module }: HookHandler,
): string {
  const what = module ?? [command, ...args].join(" ");
  return `${event}${matcher ? `(${matcher})` : ""} ${toShortLine(what, 80)}`;
}

function describeHook(name: string): Text {
  return { zh: `钩子 ${name}`, en: `hook ${name}` };
}

function describeStop(stop: Stop, seconds: number): Text {
  return stop === "time"
    ? {
        zh: `${seconds} 秒内没有结束，已被终止；不影响后续`,
        en: `it did not end within ${seconds} s and was stopped, which blocks nothing`,
      }
    : {
        zh: "输出超过 10,000,000 字节，已被终止；不影响后续",
        en: "it wrote more than 10,000,000 bytes and was stopped, which blocks nothing",
      };
}
