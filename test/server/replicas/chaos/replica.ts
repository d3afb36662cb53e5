import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { forManyStarts, program } from "../../../fakes/program.ts";
import type { ReplicaLife } from "./evidence.ts";

/** Runs one replica of the built program after the other in the same place. */
export interface Replica {
  readonly name: string;
  /** Where it listens, once it does and until it ends. */
  readonly origin: string | undefined;
  /** The process that runs now. */
  readonly life: ReplicaLife;
  /** What it has written to stderr last. */
  readonly log: readonly string[];
  /** Resolves when it listens. */
  start(): Promise<void>;
  /** Kills it at once. */
  kill(): Promise<void>;
  /** Asks it to end, and resolves with its exit code. */
  end(limitMs: number): Promise<number | null>;
  /** Lets it stand still, and go on. */
  stop(): void;
  goOn(): void;
}

export interface ReplicaOptions {
  name: string;
  folder: string;
  config: string;
  /** The address of its database. */
  url: string;
  /** Shifts its clock, in milliseconds. */
  clockMs?: number | undefined;
  /** Receives each process that is started. */
  lives: ReplicaLife[];
}

const longestLog = 200;

export function createReplica({ name, folder, config, url, clockMs = 0, lives }: ReplicaOptions): Replica {
  const home = join(folder, name);
  const log: string[] = [];
  let child: ChildProcess | undefined;
  let life: ReplicaLife | undefined;
  let origin: string | undefined;

  function getLife(): ReplicaLife {
    if (life === undefined) throw new Error(`${name} was never started`);
    return life;
  }

  async function start(): Promise<void> {
    await mkdir(home, { recursive: true });
    const { PATH = "", NODE_COMPILE_CACHE } = process.env;
    const env = {
      ...{ PATH, HOME: home, DUET_HOME: home, LANG: "en_US.UTF-8", CHAOS_KEY: "sk-chaos-0000000000" },
      ...{ DUET_STORE_URL: url, CHAOS_CLOCK_MS: String(clockMs) },
      ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    };
    const preload = clockMs === 0 ? [] : ["--import", new URL("shift-clock.mjs", import.meta.url).href];
    const args = [...forManyStarts, ...preload, program, "serve", "--http", "0", "--config", config];
    const started = spawn(process.execPath, args, { cwd: home, env, stdio: ["ignore", "ignore", "pipe"] });
    const own: ReplicaLife = { name, pid: started.pid ?? 0, startedAt: Date.now(), away: [] };
    lives.push(own);
    child = started;
    life = own;
    const listening = Promise.withResolvers<void>();
    createInterface({ input: started.stderr }).on("line", (line) => {
      log.push(`${new Date().toISOString()} ${own.pid} ${line}`);
      if (log.length > longestLog) log.shift();
      const found = /(http:\/\/\S+)\/mcp/.exec(line)?.[1];
      if (found === undefined || own.endedAt !== undefined) return;
      own.readyAt ??= Date.now();
      origin = found;
      listening.resolve();
    });
    started.once("exit", () => {
      own.endedAt ??= Date.now();
      if (life === own) origin = undefined;
      // It was killed while it started, or could not start.
      listening.resolve();
    });
    await listening.promise;
  }

  async function waitForExit(ended: ChildProcess): Promise<void> {
    if (ended.exitCode === null && ended.signalCode === null) await once(ended, "exit");
  }

  return {
    name,
    get origin() {
      return origin;
    },
    get life() {
      return getLife();
    },
    log,
    start,
    async kill() {
      if (child === undefined) return;
      getLife().endedAt ??= Date.now();
      getLife().end ??= "killed";
      origin = undefined;
      child.kill("SIGKILL");
      await waitForExit(child);
    },
    async end(limitMs) {
      const ended = child;
      if (ended === undefined) return null;
      getLife().end ??= "asked";
      ended.kill("SIGTERM");
      const limit = setTimeout(() => ended.kill("SIGKILL"), limitMs);
      await waitForExit(ended);
      clearTimeout(limit);
      getLife().exitCode = ended.exitCode;
      return ended.exitCode;
    },
    stop() {
      getLife().away.push({ from: Date.now() });
      child?.kill("SIGSTOP");
    },
    goOn() {
      child?.kill("SIGCONT");
      const last = getLife().away.at(-1);
      if (last !== undefined) last.until = Date.now();
    },
  };
}
