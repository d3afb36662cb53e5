import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { binaries } from "./binaries.ts";

/** PostgreSQL servers of node_modules in one folder. They listen on 127.0.0.1 alone, and nothing of the machine is changed. */
export interface Servers {
  /** Starts one more. `settings` are lines of `postgresql.conf`, beside those of tests or in their place. */
  start(settings?: readonly string[]): Promise<Server>;
  /** Ends all of them, with all that they have stored. */
  end(): Promise<void>;
}

export interface Server {
  /** Of the database `postgres`. */
  readonly url: string;
  /** Is the process that all its other processes come from. */
  readonly pid: number | undefined;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on the same data and the same port. */
  startAgain(): Promise<void>;
  /** Ends it, with all that it has stored. */
  stop(): Promise<void>;
}

/** A crash of the server alone loses nothing with these, and a full cluster of 40 MB is all that is written for one. */
const usualSettings = [
  ...["fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0"],
  ...["autovacuum=off", "max_logical_replication_workers=0", "max_connections=60", "log_min_messages=log"],
  // Whatever ends it leaves no memory behind that has a name.
  "dynamic_shared_memory_type=mmap",
];

/** No system gives these ports to whoever asks for any, so that a server that was killed finds its own again. */
const ports = { from: 15_000, to: 32_000 };

export function createServers(): Servers {
  const folder = mkdtempSync(join(tmpdir(), "duet-postgres-"));
  const user = findServerUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { LC_ALL: "C", PATH: process.env.PATH, TZ: "UTC" } };
  const starting = new Set<Promise<unknown>>();
  const running = new Map<string, ChildProcess>();
  let count = 0;
  let prepared: Promise<{ native: string; cluster: string }> | undefined;

  /** Makes one cluster, which each server copies. */
  async function prepare(): Promise<{ native: string; cluster: string }> {
    const native = prepareBinaries(folder, user);
    const cluster = join(folder, "cluster");
    const args = ["-D", cluster, "-U", "duet", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"];
    await promisify(execFile)(join(native, "bin", "initdb"), args, options);
    return { native, cluster };
  }

  async function run(data: string, port: number, settings: readonly string[]): Promise<void> {
    prepared ??= prepare();
    const { native, cluster } = await prepared;
    if (!existsSync(data)) copyCluster(cluster, data, user);
    const sockets = `unix_socket_directories=${process.platform === "win32" ? "" : folder}`;
    const given = [...usualSettings, sockets, ...settings].flatMap((each) => ["-c", each]);
    const child = spawn(
      join(native, "bin", "postgres"),
      ["-D", data, "-h", "127.0.0.1", "-p", String(port), ...given],
      {
        ...options,
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    running.set(data, child);
    child.once("close", () => running.delete(data));
    const ready = Promise.withResolvers<void>();
    let told = "";
    child.once("error", ready.reject);
    child.once("close", (code) => ready.reject(new Error(`postgres ended with ${code}: ${told}`)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      told = `${told}${text}`.slice(-4_000);
      if (text.includes("ready to accept connections")) ready.resolve();
    });
    await ready.promise;
  }

  async function kill(data: string): Promise<void> {
    const child = running.get(data);
    if (child === undefined) return;
    const closed = once(child, "close");
    child.kill("SIGQUIT");
    await closed;
  }

  async function start(settings: readonly string[]): Promise<Server> {
    const data = join(folder, `data-${++count}`);
    const port = await findFreePort();
    await run(data, port, settings);
    return {
      url: `postgres://duet@127.0.0.1:${port}/postgres`,
      get pid() {
        return running.get(data)?.pid;
      },
      kill: () => kill(data),
      startAgain: () => follow(run(data, port, settings)),
      async stop() {
        await kill(data);
        rmSync(data, { recursive: true, force: true });
      },
    };
  }

  function follow<T>(work: Promise<T>): Promise<T> {
    starting.add(work);
    return work.finally(() => starting.delete(work));
  }

  return {
    start: (settings = []) => follow(start(settings)),
    async end() {
      await Promise.allSettled(starting);
      await Promise.all([...running.keys()].map(kill));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface User {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root, which runs it as `nobody`. */
function findServerUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const fields = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
  return { uid: Number(fields?.[1] ?? 65_534), gid: Number(fields?.[2] ?? 65_534) };
}

/** Nobody else may enter the folder, or the server refuses it. */
function copyCluster(cluster: string, data: string, user: User | undefined): void {
  mkdirSync(data, { mode: 0o700 });
  cpSync(cluster, data, { recursive: true });
  if (user === undefined) return;
  for (const each of ["", ...readdirSync(data, { recursive: true, encoding: "utf8" })])
    chownSync(join(data, each), user.uid, user.gid);
}

/**
 * Makes the links between the libraries, which the package makes in a script that may not be allowed to run. A checkout that `nobody`
 * may not enter is copied.
 */
function prepareBinaries(folder: string, user: User | undefined): string {
  const links: { source: string; target: string }[] = existsSync(join(binaries, "pg-symlinks.json"))
    ? JSON.parse(readFileSync(join(binaries, "pg-symlinks.json"), "utf8"))
    : [];
  for (const { source, target } of links) {
    const link = join(dirname(binaries), target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (thrown) {
      // Another process has made it meanwhile.
      if (!existsSync(link)) throw thrown;
    }
  }
  const tried = spawnSync(join(binaries, "bin", "postgres"), ["--version"], { ...user, cwd: folder });
  if (tried.status === 0) return binaries;
  const copy = join(folder, "native");
  cpSync(binaries, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.from, ports.to);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      // Somebody else has it.
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
