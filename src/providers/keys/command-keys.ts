import type { KeyCommand } from "../../core/model/model-settings.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { createLifeline, type Lifeline } from "../../kit/process/lifeline.ts";
import { type CommandRun, runCommand } from "../../kit/process/run-command.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { toErrorText } from "../errors/errors.ts";

/** Holds the keys that commands print, for as long as the process lives. They are kept in memory alone. */
export interface CommandKeys {
  /** Returns the key, for which the command runs the first time. Throws a `DuetError` that holds nothing of its output. */
  get(command: KeyCommand, signal?: AbortSignal): Promise<string>;
  /** Runs the command again for a key that was refused, unless that was done for another call meanwhile. */
  renew(command: KeyCommand, refused: string, signal?: AbortSignal): Promise<string>;
  /** Ends the commands that still run. */
  close(): void;
}

export interface CommandKeysOptions {
  /** Is the environment that the commands get. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Takes each key before it is used, so that nothing repeats it. */
  onKey(key: string): void;
  /** Limits how long a command may take, in milliseconds. */
  timeoutMs?: number;
}

/** Leaves time to unlock a password manager. */
const longestMs = 30_000;
/** Limits the output, in bytes. Signed tokens take a few thousand. */
const longestOutput = 65_536;

/** Creates the store of a process. A command that failed runs again at the next request. */
export function createCommandKeys({ environment, onKey, timeoutMs = longestMs }: CommandKeysOptions): CommandKeys {
  const keys = new Map<string, Promise<string>>();
  const closing = new AbortController();
  let lifeline: Lifeline | undefined;

  async function run(command: KeyCommand): Promise<string> {
    lifeline ??= createLifeline(environment.PATH);
    const limits = { timeoutMs, mostBytes: longestOutput, signal: closing.signal };
    const ran = await runCommand(command, toWholeEnvironment(environment), limits, lifeline).catch((thrown) => {
      closing.signal.throwIfAborted();
      throw commandError({ zh: "无法启动", en: "cannot be started" }, getMessage(thrown));
    });
    const key = readKey(ran, timeoutMs);
    onKey(key);
    return key;
  }

  function start(command: KeyCommand): Promise<string> {
    const name = JSON.stringify(command);
    const key = run(command).catch((thrown) => {
      keys.delete(name);
      throw thrown;
    });
    keys.set(name, key);
    return key;
  }

  const find = (command: KeyCommand): Promise<string> => keys.get(JSON.stringify(command)) ?? start(command);
  return {
    get: (command, signal) => waitAbortable(find(command), signal),
    async renew(command, refused, signal) {
      const held = find(command);
      const known = await waitAbortable(held, signal);
      if (known !== refused) return known;
      // Another call may have begun to renew it while this one waited.
      const later = keys.get(JSON.stringify(command));
      return waitAbortable(later === undefined || later === held ? start(command) : later, signal);
    },
    close() {
      closing.abort(new DuetError({ code: "internal", text: { zh: "正在关闭", en: "closing" } }));
      lifeline?.close();
    },
  };
}

function toWholeEnvironment(environment: CommandKeysOptions["environment"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Returns what the command printed, without the blanks around it. Throws for anything that is no key. */
function readKey({ ending, output, errors, stopped }: CommandRun, timeoutMs: number): string {
  const key = output.trim();
  const said = toErrorText(errors.trim().split("\n").at(-1) ?? "", key);
  if (ending.error) throw commandError({ zh: "无法启动", en: "cannot be started" }, getMessage(ending.error));
  if (stopped === "time") {
    throw commandError({
      zh: `${timeoutMs / 1000} 秒内没有结束`,
      en: `did not end within ${timeoutMs / 1000} s`,
    });
  }
  if (stopped === "output")
    throw commandError({ zh: `输出超过 ${longestOutput} 字节`, en: `printed more than ${longestOutput} bytes` });
  if (ending.code !== 0) {
    const how = ending.code === null ? String(ending.signal) : String(ending.code);
    throw commandError({ zh: `以 ${how} 结束`, en: `ended with ${how}` }, said);
  }
  if (key === "") throw commandError({ zh: "没有输出密钥", en: "printed no key" }, said);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw commandError({
      zh: "的输出不是一行不含空格的 ASCII 文本",
      en: "printed something other than one line of ASCII without spaces",
    });
  }
  return key;
}

function commandError(what: Text, detail = ""): DuetError {
  const shown = sanitizeLine(detail);
  return new DuetError({
    code: "auth",
    text: {
      zh: `apiKeyCommand ${what.zh}${shown && `：${shown}`}`,
      en: `apiKeyCommand ${what.en}${shown && `: ${shown}`}`,
    },
    hint: {
      zh: "请在终端中运行这条命令：它应当只输出密钥，并以 0 结束。",
      en: "Run the command in a terminal: it should print the key alone and end with 0.",
    },
  });
}
