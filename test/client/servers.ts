// What the tests of the client share: pools of fake servers, calls, journals, and a look at the process table.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { createPool, type Pool } from "../../src/client/pool.ts";
import type { ServerSettings } from "../../src/config/config.ts";
import type { ToolContext, ToolResult } from "../../src/core/tools/tool.ts";
import { compileCache } from "../fakes/program.ts";

export const fakePath = join(import.meta.dirname, "../fakes/mcp.ts");

type Stdio = Extract<ServerSettings["transport"], { type: "stdio" }>;

export function stdio(
  name: string,
  command: string,
  args: string[],
  more: Partial<ServerSettings> & { env?: Record<string, string>; inheritEnv?: string[] } = {},
): ServerSettings {
  const { env = {}, inheritEnv = [], ...settings } = more;
  const transport: Stdio = { type: "stdio", command, args, env: { ...compileCache(), ...env }, inheritEnv };
  return { name, transport, timeoutMs: 60_000, startTimeoutMs: 60_000, start: "eager", sampling: false, ...settings };
}

/** The fake server in one of its modes, under the name `fake` unless stated otherwise. */
export function fake(
  mode: string,
  more: Partial<ServerSettings> & { env?: Record<string, string>; journal?: string; args?: string[] } = {},
): ServerSettings {
  const { journal, args = [], ...settings } = more;
  const journalArgs = journal === undefined ? [] : ["--journal", journal];
  return stdio("fake", process.execPath, [fakePath, "--mode", mode, ...journalArgs, ...args], settings);
}

export function http(
  url: string,
  more: Partial<ServerSettings> & { headers?: Record<string, string> } = {},
): ServerSettings {
  const { headers = {}, ...settings } = more;
  const transport = { type: "http" as const, url, headers };
  return {
    name: "web",
    transport,
    timeoutMs: 60_000,
    startTimeoutMs: 60_000,
    start: "eager",
    sampling: false,
    ...settings,
  };
}

/** A pool that is closed when the test is over. */
export function poolOf(...servers: ServerSettings[]): Pool {
  const environment = { ...process.env, DUET_CANARY: "sk-CANARY-ours" };
  const pool = createPool(servers, { environment, clientInfo: { name: "duet-test", version: "0" } });
  onTestFinished(() => pool.close());
  return pool;
}

export async function readyPoolOf(...servers: ServerSettings[]): Promise<Pool> {
  const pool = poolOf(...servers);
  await pool.ready();
  return pool;
}

export interface Heard {
  message: string;
  progress: number | undefined;
  total: number | undefined;
}

/** Calls a tool of the pool by its full name. */
export async function call(
  pool: Pool,
  name: string,
  args: Parameters<ReturnType<Pool["tools"]>[number]["run"]>[0] = {},
  options: { signal?: AbortSignal; heard?: Heard[]; locale?: ToolContext["locale"] } = {},
): Promise<ToolResult> {
  const tool = pool.tools().find((each) => each.name === name);
  if (tool === undefined) throw new Error(`No tool ${name} among ${pool.tools().map((each) => each.name)}`);
  return tool.run(args, {
    signal: options.signal ?? new AbortController().signal,
    locale: options.locale ?? "en",
    progress: (message, progress, total) => options.heard?.push({ message, progress, total }),
    notice: () => {},
  });
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "duet-client-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface JournalEntry {
  pid?: number;
  grandchild?: number;
  method?: string;
  signal?: string;
  params?: { requestId?: number; name?: string };
}

export function readJournal(file: string): JournalEntry[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

/** The processes that the journal tells of, once there are `count` of them. */
export function processesIn(file: string, count: number): Promise<number[]> {
  return vi.waitFor(
    () => {
      const pids = readJournal(file).flatMap(({ pid, grandchild }) =>
        [pid, grandchild].filter((each) => each !== undefined),
      );
      if (pids.length < count) throw new Error(`Only ${pids.length} of ${count} processes have started`);
      return pids;
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** Whether a process runs; one that is dead and not yet looked at by its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return process.platform !== "linux";
  }
}

export function allDead(pids: number[], timeoutMs = 60_000): Promise<void> {
  return vi.waitFor(
    () => {
      const alive = pids.filter(isAlive);
      if (alive.length > 0) throw new Error(`Still alive: ${alive}`);
    },
    { timeout: timeoutMs, interval: 20 },
  );
}
