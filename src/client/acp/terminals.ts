import { isAbsolute } from "node:path";
import {
  type CreateTerminalRequest,
  RequestError,
  type TerminalOutputResponse,
  type WaitForTerminalExitResponse,
} from "@agentclientprotocol/sdk";
import type { JsonObject } from "../../kit/json.ts";
import { Child, Tail } from "../../kit/process/child.ts";
import type { Lifeline } from "../../kit/process/lifeline.ts";
import { readFairly } from "../transport/stdio.ts";
import type { AgentConsent } from "./consent.ts";
import type { ShownCall, ShownCommand } from "./permissions.ts";

/** Runs commands for an agent while it works on one question. All of them end with it. */
export interface Terminals {
  create(params: CreateTerminalRequest): Promise<{ terminalId: string }>;
  output(id: string): TerminalOutputResponse;
  waitForExit(id: string): Promise<WaitForTerminalExitResponse>;
  kill(id: string): Promise<Record<string, never>>;
  release(id: string): Promise<Record<string, never>>;
  /** Remembers a command that a person has seen and agreed to, so that it is not asked about once more. */
  agree(shown: ShownCall): void;
  close(): Promise<void>;
}

export interface TerminalOptions {
  /** Returns the real path of a folder in which a command may run, and undefined for every other one. */
  findFolder(path: string): Promise<string | undefined>;
  cwd: string;
  /** Is the whole environment of a command, to which the agent may add. */
  environment: Readonly<Record<string, string>>;
  lifeline: Lifeline;
  consent: AgentConsent;
  /** Is the name of the agent's tool. */
  tool: string;
  rule: string;
}

interface Terminal {
  child: Child;
  output: Tail;
  bytes: number;
  limit: number;
}

/** Limits the output that is kept of one command, in bytes: as the agent wants it, and at most. */
const kept = { usual: 1_000_000, most: 5_000_000 };
/** Limits the commands of one question that run side by side, or whose output is still wanted. */
const mostTerminals = 20;

export function createTerminals(options: TerminalOptions): Terminals {
  const { findFolder, cwd, environment, lifeline, consent, tool, rule } = options;
  const terminals = new Map<string, Terminal>();
  const agreed: ShownCommand[] = [];
  let count = 0;
  /** Counts those that are about to be started. */
  let starting = 0;
  let isClosed = false;

  function find(id: string): Terminal {
    const terminal = terminals.get(id);
    if (terminal === undefined) throw createRefusal(`there is no terminal ${JSON.stringify(id.slice(0, 100))}`);
    return terminal;
  }

  /** Takes the agreement to a command in a folder, which counts once. */
  async function takeAgreed(line: string, folder: string): Promise<boolean> {
    for (const shown of agreed.filter((each) => each.line === line)) {
      if ((await findFolder(shown.cwd ?? cwd)) !== folder || !agreed.includes(shown)) continue;
      agreed.splice(agreed.indexOf(shown), 1);
      return true;
    }
    return false;
  }

  async function start({
    command,
    args = [],
    env = [],
    cwd: wanted,
    outputByteLimit,
  }: CreateTerminalRequest): Promise<{ terminalId: string }> {
    const folder = await findFolder(wanted ?? cwd);
    if (folder === undefined || !isAbsolute(wanted ?? cwd))
      throw createRefusal(`cwd ${JSON.stringify(wanted)} is not within the allowed folders`);
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const shown: JsonObject = {
      command,
      ...(args.length > 0 && { args }),
      cwd: folder,
      ...(env.length > 0 && { env: given }),
    };
    // A person has seen a line for the shell. Arguments that a shell would read in another way are not what was seen.
    const isPlain = env.length === 0 && args.every((arg) => /^[\w@%+=:,./-]+$/.test(arg));
    const isAgreed = isPlain && (await takeAgreed([command, ...args].join(" "), folder));
    const answer = isAgreed
      ? "once"
      : await consent.ask({ tool: `${tool}__execute`, arguments: shown, rule, onlyOnce: true });
    if (answer !== "once" && answer !== "conversation")
      throw createRefusal("The user did not agree to this command. Do not run it in another way.");
    if (isClosed) throw createRefusal("the work is over");
    // Agents write a line for the shell, or a program with its arguments. Both streams are one, in order.
    const shell =
      args.length === 0 ? ["-c", `exec 2>&1\n${command}`] : ["-c", 'exec "$@" 2>&1', "sh", command, ...args];
    const child = new Child(
      { command: "/bin/sh", args: shell, env: { ...environment, ...given }, cwd: folder, mayCloseOutput: true },
      lifeline,
    );
    child.stdin.end();
    const limit = Math.min(outputByteLimit ?? kept.usual, kept.most);
    const terminal: Terminal = { child, output: new Tail(limit), bytes: 0, limit };
    readFairly(child.stdout, (piece) => {
      terminal.bytes += piece.length;
      terminal.output.push(piece);
    });
    count += 1;
    const terminalId = `terminal-${count}`;
    terminals.set(terminalId, terminal);
    return { terminalId };
  }

  return {
    async create(params) {
      if (terminals.size + starting >= mostTerminals)
        throw createRefusal(`allowed: at most ${mostTerminals} terminals at one time`);
      starting += 1;
      try {
        return await start(params);
      } finally {
        starting -= 1;
      }
    },
    output(id) {
      const { child, output, bytes, limit } = find(id);
      const { ending } = child;
      return {
        output: output.toString(),
        truncated: bytes > limit,
        ...(ending && { exitStatus: { exitCode: ending.code, signal: ending.signal } }),
      };
    },
    async waitForExit(id) {
      const { code, signal } = await find(id).child.ended;
      return { exitCode: code, signal };
    },
    async kill(id) {
      await find(id).child.stop();
      return {};
    },
    async release(id) {
      const { child } = find(id);
      terminals.delete(id);
      await child.stop();
      return {};
    },
    agree({ command }) {
      if (command !== undefined) agreed.push(command);
      if (agreed.length > mostTerminals) agreed.shift();
    },
    async close() {
      isClosed = true;
      await Promise.all([...terminals.values()].map(({ child }) => child.stop()));
      terminals.clear();
    },
  };
}

function createRefusal(message: string): RequestError {
  return new RequestError(-32_602, message);
}
