import { existsSync } from "node:fs";
import type { Transport } from "@modelcontextprotocol/client";
import type { ServerTransport } from "../../config/config.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { sleep } from "../../kit/async/timeout.ts";
import { checkBatchArguments } from "../../kit/process/batch-file.ts";
import { Child, type Ending, Tail } from "../../kit/process/child.ts";
import { createChildEnvironment, type Environment } from "../../kit/process/child-environment.ts";
import type { Lifeline } from "../../kit/process/lifeline.ts";
import { hasProcessGroups, killTree, toTreeKill } from "../../kit/process/process-tree.ts";
import type { Sdk } from "../sdk.ts";
import { StdioTransport } from "./stdio.ts";

type Target = Extract<ServerTransport, { type: "stdio" }>;

export interface StdioServer {
  open(sdk: Sdk): Promise<Transport>;
  /** Is undefined while the process runs, and where its end is not known. */
  readonly ending: Ending | undefined;
  /** Waits a moment for the news of an end that just happened. */
  waitForExit(): Promise<void>;
  /** Returns the end of what the process wrote to stderr. */
  words(): string;
  /** Ends it and all that it started; never rejects. */
  stop(): Promise<void>;
}

/** Starts the process before it returns. Throws what `spawn` throws, and a `DuetError` for arguments that Windows would read twice. */
export function startStdioServer(target: Target, environment: Environment, lifeline: Lifeline): StdioServer {
  const passed = { ...target, env: { ...target.networkEnv, ...target.env } };
  const env = createChildEnvironment(environment, passed);
  if (!hasProcessGroups()) return startOnWindows({ ...target, env });
  const child = new Child({ command: target.command, args: target.args, env, cwd: target.cwd }, lifeline);
  return {
    open: async (sdk) => new StdioTransport(child, sdk.parseJSONRPCMessage),
    get ending() {
      return child.ending;
    },
    async waitForExit() {
      // A broken pipe is noticed some milliseconds before the exit that broke it, on a busy machine many. A process that goes on with
      // its output closed is ended in less than this.
      if (child.ending !== undefined) return;
      const over = new AbortController();
      const late = ignoreRejection(sleep(2_000, over.signal), "the race ends the wait");
      await Promise.race([child.ended, late]);
      over.abort();
    },
    words: () => child.words.toString(),
    stop: () => child.stop(),
  };
}

/** Limits how long a server on Windows may take to end by itself once its input has ended, in milliseconds. */
const patienceMs = 400;

/**
 * Uses the package's own transport, which finds `npx.cmd`. What a server has left behind when it ends by itself may survive, because
 * Windows has no process groups. It drops a malformed response, whose call waits for its time limit: its errors do not hold the line.
 */
function startOnWindows({ command, args, env, cwd }: Target): StdioServer {
  checkBatchArguments(command, args, {
    path: env.PATH ?? "",
    extensions: env.PATHEXT ?? ".COM;.EXE;.BAT;.CMD",
    cwd: cwd ?? process.cwd(),
    isFile: (file) => existsSync(file),
  });
  const tail = new Tail();
  let stop = async (): Promise<void> => {};
  return {
    async open() {
      const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
      const transport = new StdioClientTransport({
        command,
        args,
        env,
        stderr: "pipe",
        ...(cwd !== undefined && { cwd }),
      });
      transport.stderr?.on("data", (chunk: Buffer) => tail.push(chunk));
      stop = async () => {
        const { pid } = transport;
        const closing = ignoreRejection(transport.close(), "the process is ended in any case").then(() => true);
        const isOver = await Promise.race([closing, sleep(patienceMs).then(() => false)]);
        if (!isOver && pid !== null) await killTree(toTreeKill(pid, env));
        await closing;
      };
      return transport;
    },
    ending: undefined,
    waitForExit: async () => {},
    words: () => tail.toString(),
    stop: () => stop(),
  };
}
