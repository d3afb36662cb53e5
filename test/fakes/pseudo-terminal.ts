import { execFile, spawn } from "node:child_process";
import { constants } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";

/** In cells and lines. */
export interface TerminalSize {
  columns: number;
  lines: number;
}

/** A program in a pseudo terminal of util-linux's `script`. */
export interface PseudoTerminal {
  write(keys: string | Uint8Array): void;
  /** Tells the terminal its new size, and so the program (SIGWINCH). */
  resize(size: TerminalSize): Promise<void>;
  /** Stops the program, and settles once all that it has written was taken. */
  freeze(): Promise<void>;
  /** Lets it go on. */
  thaw(): Promise<void>;
  /** Tells how the terminal treats what is typed now, in the words of `stty`. */
  modes(): Promise<string[]>;
  /** Waits for a line that was typed and that no program reads, and takes it away. */
  takeLine(): Promise<string>;
  /** Sends a signal to the program, to which alone it comes. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** The terminal is gone, as when its window is closed. */
  kill(): void;
  /** The exit code; null when it was killed. */
  readonly ended: Promise<number | null>;
}

export interface PseudoTerminalOptions extends TerminalSize {
  command: readonly string[];
  cwd?: string | undefined;
  env: NodeJS.ProcessEnv;
  /** Shows what is typed, as a terminal does at which a person sits; `script` turns that off where nobody does. */
  echoes?: boolean | undefined;
  /** Takes what the program writes. */
  onBytes(bytes: Buffer): void;
}

export function openPseudoTerminal(options: PseudoTerminalOptions): PseudoTerminal {
  const { command, cwd, env, columns, lines, echoes = false, onBytes } = options;
  const opened = Promise.withResolvers<{ pid: number; device: string }>();
  opened.promise.catch(() => {});
  const line = `echo $$ $(tty); stty cols ${columns} rows ${lines}${echoes ? " echo" : ""}; exec ${command.map(quote).join(" ")}`;
  // The program is a grandchild of `script`, which would stop itself with a child that is stopped.
  const child = spawn("script", ["-qec", `sh -c ${quote(line)}; exit $?`, "/dev/null"], { cwd, env });
  // It may end while keys are on their way to it.
  child.stdin.on("error", () => {});

  let first: Buffer<ArrayBufferLike> | undefined = Buffer.alloc(0);
  /** Holds what came while all that was written is waited for. */
  let last: { bytes: Buffer; resolve(): void } | undefined;
  child.stdout.on("data", (bytes: Buffer) => {
    if (last) return takeLast(last, bytes);
    if (!first) return onBytes(bytes);
    first = Buffer.concat([first, bytes]);
    const end = first.indexOf("\n");
    if (end < 0) return;
    const [pid, device = ""] = first.subarray(0, end).toString().trim().split(" ");
    opened.resolve({ pid: Number(pid), device });
    const rest = first.subarray(end + 1);
    first = undefined;
    if (rest.length > 0) onBytes(rest);
  });
  function takeLast(waiting: { bytes: Buffer; resolve(): void }, bytes: Buffer): void {
    waiting.bytes = Buffer.concat([waiting.bytes, bytes]);
    const end = waiting.bytes.indexOf(lastMark);
    if (end < 0) return;
    last = undefined;
    if (end > 0) onBytes(waiting.bytes.subarray(0, end));
    waiting.resolve();
  }

  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      opened.reject(new Error("The terminal ended before it told its name."));
      resolve(code);
    });
  });

  return {
    write: (keys) => void child.stdin.write(keys),
    async resize(size) {
      const args = ["-F", (await opened.promise).device, "cols", `${size.columns}`, "rows", `${size.lines}`];
      await promisify(execFile)("stty", args);
    },
    async freeze() {
      const { pid, device } = await opened.promise;
      process.kill(pid, "SIGSTOP");
      while (!(await isStopped(pid))) await setImmediate();
      const taken = Promise.withResolvers<void>();
      last = { bytes: Buffer.alloc(0), resolve: taken.resolve };
      await writeFile(device, lastMark);
      await taken.promise;
    },
    thaw: async () => void process.kill((await opened.promise).pid, "SIGCONT"),
    async modes() {
      const { stdout } = await promisify(execFile)("stty", ["-F", (await opened.promise).device, "-a"]);
      return stdout.trim().split(/[\s;]+/);
    },
    async takeLine() {
      const handle = await open((await opened.promise).device, constants.O_RDONLY | constants.O_NOCTTY);
      try {
        // The terminal gives no more than a line at a time.
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096));
        return buffer.toString("utf8", 0, bytesRead);
      } finally {
        await handle.close();
      }
    },
    signal: async (name) => void process.kill((await opened.promise).pid, name),
    kill: () => void child.kill("SIGKILL"),
    ended,
  };
}

/** Is written behind the last bytes of a program that stands still; no program writes it. */
const lastMark = "\u0001all was written\u0001";

async function isStopped(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8");
  return status.slice(status.lastIndexOf(")") + 2).startsWith("T");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
