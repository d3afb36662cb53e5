import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { ignoreRejection } from "../async/ignore-rejection.ts";
import { sleep } from "../async/timeout.ts";
import { type Lifeline, signalGroup } from "./lifeline.ts";

/** Keeps the end of a process's output in bounded memory: at most twice the limit, so that little is copied for each chunk. */
export class Tail {
  #chunks: Buffer[] = [];
  #bytes = 0;
  readonly #limit: number;

  constructor(limit = 16_384) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    if (this.#limit <= 0) return;
    const part = Buffer.from(chunk.subarray(-this.#limit));
    this.#chunks.push(part);
    this.#bytes += part.length;
    if (this.#bytes >= 2 * this.#limit || this.#chunks.length > mostChunks) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#chunks.join("");
  }

  #join(): void {
    const joined = this.#limit <= 0 ? Buffer.alloc(0) : Buffer.concat(this.#chunks).subarray(-this.#limit);
    this.#chunks = [joined.length === this.#bytes ? joined : Buffer.from(joined)];
    this.#bytes = joined.length;
  }
}

/** Limits the chunks that are kept apart. */
const mostChunks = 1000;

export interface Command {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
  /** Lets the child run on after it has closed its output. A server cannot answer any more then, and is ended. */
  mayCloseOutput?: boolean;
  /** Limits the wait for the last output when a descendant holds the pipes, in milliseconds. It is 100 when absent. */
  lastWordsMs?: number;
}

/** Says how a child ended. `error` is set when it never started. */
export interface Ending {
  code: number | null;
  signal: string | null;
  error?: Error;
}

/** Limits each step of ending a group, in milliseconds. */
const patience = { endOfInput: 400, terminate: 700, kill: 300 };

/**
 * Runs a process in a group of its own, so that its descendants end with it (`npx` and `sh -c` leave the real server as a
 * grandchild). A process that leaves the group cannot be reached. POSIX only.
 */
export class Child {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles when the process is over and its last words are read; never rejects. */
  readonly ended: Promise<Ending>;
  /** Holds the end of stderr, and of the stray lines on stdout. */
  readonly words = new Tail();
  #ending: Ending | undefined;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lifeline: Lifeline;
  readonly #lastWordsMs: number;
  #stopping: Promise<void> | undefined;

  /** Starts it at once. Throws what `spawn` throws for arguments that no process can have. */
  constructor(command: Command, lifeline: Lifeline) {
    this.#lifeline = lifeline;
    this.#lastWordsMs = command.lastWordsMs ?? 100;
    lifeline.watch();
    this.#process = spawn(command.command, command.args, {
      env: command.env,
      cwd: command.cwd,
      detached: true,
      shell: false,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.stdin = this.#process.stdin;
    this.stdout = this.#process.stdout;
    const { pid } = this.#process;
    if (pid !== undefined) lifeline.hold(pid);
    this.ended = this.#end();
    // When no pipe could be made (too many open files) there are no streams; the `error` event tells the rest.
    this.stdin?.on("error", () => {});
    this.#process.stderr?.on("data", (chunk: Buffer) => this.words.push(chunk));
    if (!command.mayCloseOutput) this.stdout?.once("end", () => void this.stop());
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Ends the whole group: end of input, then SIGTERM, then SIGKILL. Takes at most 1.4 s; never rejects. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  #exit(): Promise<Ending> {
    return new Promise((resolve) => {
      this.#process.on("error", (error) => {
        if (this.#process.pid === undefined) resolve({ code: null, signal: null, error });
      });
      this.#process.once("exit", (code, signal) => resolve({ code, signal }));
    });
  }

  async #end(): Promise<Ending> {
    const closed = ignoreRejection(once(this.#process, "close"), "the exit of the process tells its error");
    const ending = await this.#exit();
    // Its last words may still be in the pipes; a grandchild that holds the pipes may keep them open for ever.
    if (ending.error === undefined) await Promise.race([closed, this.#waitForLastWords()]);
    this.#ending = ending;
    void this.stop();
    return ending;
  }

  /** Waits as long as descendants may take, and lets the pipes be read once more: a busy program runs its timers before it reads. */
  async #waitForLastWords(): Promise<void> {
    await sleep(this.#lastWordsMs);
    await setImmediate();
  }

  async #stop(): Promise<void> {
    const { pid } = this.#process;
    this.stdin?.end();
    if (pid !== undefined) await this.#endGroup(pid);
    for (const stream of [this.stdin, this.stdout, this.#process.stderr]) stream?.destroy();
    this.#process.unref();
  }

  async #endGroup(group: number): Promise<void> {
    if (!(await isGone(group, patience.endOfInput))) {
      signalGroup(group, "SIGTERM");
      if (!(await isGone(group, patience.terminate))) {
        signalGroup(group, "SIGKILL");
        // Nobody survives that, but the dead count as members until their parent, or a slow init, looks at them.
        await isGone(group, patience.kill);
      }
    }
    this.#lifeline.release(group);
  }
}

async function isGone(group: number, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (signalGroup(group, 0)) {
    if (performance.now() >= deadline) return false;
    await sleep(10);
  }
  return true;
}
