import { constants } from "node:fs";
import { access, open } from "node:fs/promises";
import { basename } from "node:path";
import { toInvalidArgumentsResult, toValueProblem } from "../../core/tools/argument-feedback.ts";
import { createFailure, type Tool, type ToolContext, type ToolResult } from "../../core/tools/tool.ts";
import { createWaitLimit } from "../../kit/async/timeout.ts";
import type { JsonObject } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { Child, type Ending } from "../../kit/process/child.ts";
import { createChildEnvironment, type Environment } from "../../kit/process/child-environment.ts";
import type { Lifeline } from "../../kit/process/lifeline.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { truncateMiddle } from "../../kit/text/truncate.ts";
import { createTool } from "../create-tool.ts";
import { findAllowed } from "../files/allowed-path.ts";
import { readStart } from "../files/read-lines.ts";

export interface ScriptToolOptions {
  /** Holds the environment of this process, of which a script sees only what it needs to run. */
  environment: Environment;
  lifeline: Lifeline;
  locale: Locale;
  timeoutMs: number;
}

/** Runs the scripts of skills as child processes; undefined where no skill has any. */
export function createScriptTool(skills: readonly Skill[], options: ScriptToolOptions): Tool | undefined {
  const able = skills.filter(({ scripts }) => scripts.length > 0);
  if (able.length === 0) return undefined;
  const { locale, timeoutMs } = options;
  return createTool({
    name: "skill_script",
    source: "skills",
    description: say(locale, describePurpose(timeoutMs / 1000)),
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", enum: able.map(({ name }) => name), description: say(locale, words.name) },
        script: { type: "string", description: say(locale, words.script) },
        args: { type: "array", items: { type: "string" }, description: say(locale, words.args) },
        stdin: { type: "string", description: say(locale, words.stdin) },
      },
      required: ["name", "script"],
      additionalProperties: false,
    },
    // Nobody knows what a script does: by default a person is asked.
    annotations: { destructive: true, openWorld: true },
    async run(args, context) {
      const skill = able.find(({ name }) => name === args.name);
      if (skill === undefined) throw new Error(`There is no skill with scripts named ${args.name}`);
      return run(skill, args, options, context);
    },
  });
}

async function run(
  skill: Skill,
  args: JsonObject,
  { environment, lifeline, timeoutMs }: ScriptToolOptions,
  { signal, locale }: ToolContext,
): Promise<ToolResult> {
  const wanted = String(args.script);
  const script = findScript(wanted, skill);
  const path = script && (await findAllowed(script, [skill.folder]));
  if (script === undefined || path === undefined) return toUnknownScriptResult(wanted, skill, locale);
  const [command, ...first] = (await findCommand(path)) ?? [];
  if (command === undefined) return createFailure("tool", say(locale, describeNotRunnable(script)));
  const more = Array.isArray(args.args) ? args.args.map(String) : [];
  const ran = await runScript(
    {
      command,
      args: [...first, ...more],
      cwd: skill.folder,
      env: createChildEnvironment(environment, {}),
      stdin: typeof args.stdin === "string" ? args.stdin : "",
      timeoutMs,
      signal,
    },
    lifeline,
  );
  return toScriptResult(script, command, ran, { timeoutMs, locale });
}

/** Finds a script by its path in the skill's list, with or without `scripts/`. */
function findScript(wanted: string, { scripts }: Skill): string | undefined {
  const plain = wanted.replace(/^\.\//, "");
  return scripts.find((script) => script === plain || script === `scripts/${plain}`);
}

function toUnknownScriptResult(wanted: string, { scripts }: Skill, locale: Locale): ToolResult {
  const list = scripts.slice(0, 20).map((script) => JSON.stringify(script));
  const allowed = list.join(", ");
  return toInvalidArgumentsResult(locale, [
    toValueProblem("script", wanted, `必须是以下之一：${allowed}`, `must be one of: ${allowed}`),
  ]);
}

function describeNotRunnable(script: string): Text {
  return {
    zh: `${script} 无法运行：它不可执行，也不是 .py、.js、.mjs、.cjs、.ts、.mts、.sh、.bash、.rb 文件。`,
    en: `${script} cannot be run: it is not executable, nor a file that ends in .py, .js, .mjs, .cjs, .ts, .mts, .sh, .bash or .rb.`,
  };
}

function describePurpose(seconds: number): Text {
  return {
    zh: `运行一项技能自带的脚本（先用 skill 读取它的说明）。脚本在技能的文件夹中运行，最长 ${seconds} 秒。`,
    en: `Runs a script of a skill (read its text with \`skill\` first). It runs in the skill's folder, for ${seconds} s at most.`,
  };
}

const words: Record<"name" | "script" | "args" | "stdin", Text> = {
  name: { zh: "技能的名称", en: "The skill's name" },
  script: { zh: "脚本，例如 scripts/fill.py", en: "The script, such as scripts/fill.py" },
  args: { zh: "参数，每个一项；不经过 shell", en: "Its arguments, one per item; no shell is involved" },
  stdin: { zh: "写到标准输入的文字", en: "A text for its standard input" },
};

/** Maps file extensions to the programs that run them. */
const interpreters: Record<string, string> = {
  py: "python3",
  js: process.execPath,
  mjs: process.execPath,
  cjs: process.execPath,
  ts: process.execPath,
  mts: process.execPath,
  sh: "sh",
  bash: "bash",
  rb: "ruby",
};

/** Returns the program and its first arguments. Returns undefined when the script is neither executable nor of a known type. */
export async function findCommand(script: string): Promise<[command: string, ...args: string[]] | undefined> {
  const head = await readHead(script);
  const ending = /\.([a-z]+)$/.exec(script)?.[1] ?? "";
  const interpreter = Object.hasOwn(interpreters, ending) ? interpreters[ending] : undefined;
  const isExecutable = await access(script, constants.X_OK).then(
    () => true,
    () => false,
  );
  // Some file systems call every file executable: a script of a known kind has to name its program too.
  if (isExecutable && (head.startsWith("#!") || interpreter === undefined)) return [script];
  if (interpreter === undefined) return undefined;
  return interpreter === "sh" && /^#!.*\bbash\b/.test(head) ? ["bash", script] : [interpreter, script];
}

/** Reads the beginning of the first line. */
async function readHead(script: string): Promise<string> {
  const handle = await open(script, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { bytes } = await readStart(handle, 100);
    return bytes.toString("latin1").split("\n")[0] ?? "";
  } finally {
    await handle.close();
  }
}

/** Limits the output that is kept of a script, in characters. Its beginning and end are kept. */
const mostCharacters = 200_000;

/** Describes a finished script for the model: its output, and how it ended unless it succeeded. */
export function toScriptResult(
  script: string,
  command: string,
  { ending, output, errors, stopped }: ScriptRun,
  { timeoutMs, locale }: { timeoutMs: number; locale: Locale },
): ToolResult {
  const { code, signal, error } = ending;
  if (error !== undefined) return createFailure("tool", say(locale, describeNotStarted(script, command, error)));
  const written = [shorten(output, locale), errors && `stderr:\n${errors}`].filter((part) => part !== "");
  if (code === 0 && stopped === undefined) return { ok: true, text: written.join("\n\n") || say(locale, silent) };
  const how = say(
    locale,
    stopped === undefined ? describeEnd(script, code ?? signal) : endings[stopped](script, timeoutMs),
  );
  const text = [how, ...written].join("\n\n");
  return { ok: false, text, error: { code: stopped === "time" ? "timeout" : "tool", message: how } };
}

function shorten(output: string, locale: Locale): string {
  return truncateMiddle(output, mostCharacters, (missing) =>
    say(locale, { zh: `…[省略 ${missing} 个字符]…`, en: `…[${formatCount(missing, "character")} left out]…` }),
  );
}

function describeEnd(script: string, how: number | string | null): Text {
  return { zh: `${script} 以 ${how} 结束（失败）。`, en: `${script} failed: it exited with ${how}.` };
}

const endings: Record<"time" | "output", (script: string, timeoutMs: number) => Text> = {
  time: (script, timeoutMs) => ({
    zh: `${script} 超时（${timeoutMs / 1000} 秒），已被终止。`,
    en: `${script} did not end within ${timeoutMs / 1000} s and was stopped.`,
  }),
  output: (script) => ({
    zh: `${script} 的输出过多，已被终止。`,
    en: `${script} produced too much output and was stopped.`,
  }),
};

function describeNotStarted(script: string, command: string, error: Error): Text {
  const program = basename(command);
  return {
    zh: `${script} 无法启动：${program}：${error.message}`,
    en: `${script} could not be started: ${program}: ${error.message}`,
  };
}

const silent: Text = { zh: "（成功结束，没有输出）", en: "(it succeeded without output)" };

export interface ScriptCall {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  stdin: string;
  /** Holds milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
}

interface ScriptRun {
  ending: Ending;
  /** Holds the script's stdout. Its memory is bounded. */
  output: string;
  /** Returns the end of what the process wrote to stderr. */
  errors: string;
  /** States why the script was ended early. */
  stopped?: "time" | "output";
}

/** A script that writes more than this, in bytes, is ended. */
const mostBytes = 10_000_000;

/**
 * Runs a script to its end, without a shell, in a process group that ends with it, with its time, or with us. Rejects with the
 * signal's reason when that aborts, and with what `spawn` throws for arguments that no process can have.
 */
export async function runScript(call: ScriptCall, lifeline: Lifeline): Promise<ScriptRun> {
  const { command, args, cwd, env, stdin, timeoutMs, signal } = call;
  signal.throwIfAborted();
  const child = new Child({ command, args, cwd, env, mayCloseOutput: true, lastWordsMs: 2000 }, lifeline);
  const limit = createWaitLimit(timeoutMs, signal);
  const stop = (): void => void child.stop();
  limit.signal.addEventListener("abort", stop, { once: true });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostBytes) chunks.push(chunk);
    else stop();
  });
  child.stdin?.end(stdin);
  try {
    const ending = await child.ended;
    await child.stop();
    signal.throwIfAborted();
    const output = Buffer.concat(chunks).toString("utf8").trim();
    const errors = child.words.toString().trim();
    const stopped = limit.expired ? "time" : bytes > mostBytes ? "output" : undefined;
    return { ending, output, errors, ...(stopped && { stopped }) };
  } finally {
    limit.clear();
  }
}

/** Represents a folder with a `SKILL.md`, as it is described to the model. */
export interface Skill {
  /** Is the name of the folder and matches `^[a-z0-9-]{1,64}$`. */
  name: string;
  /** Is a single line. */
  description: string;
  /** Is the folder's real path, with links resolved. */
  folder: string;
  /** Holds the exact spelling of `SKILL.md` in the folder. */
  file: string;
  /** Lists the files under `scripts/`, relative to the folder and sorted. */
  scripts: string[];
}
