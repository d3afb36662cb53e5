import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { allDead, fake, fakePath, poolOf, processesIn, readyPoolOf, stdio, temporaryFolder } from "../servers.ts";

const parentPath = join(import.meta.dirname, "../../fakes/mcp-parent.ts");

test("closing ends a good server", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("normal", { journal }));
  const pids = await processesIn(journal, 1);
  await pool.close();
  // The kernel takes a moment to end what was killed.
  await allDead(pids);
});

test("closing ends one that ignores every request to end", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("ignore-sigterm", { journal }));
  const pids = await processesIn(journal, 1);
  await pool.close();
  // The kernel takes a moment to end what was killed.
  await allDead(pids);
});

test("closing twice, or while a new configuration leaves a server out, waits for every end", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("ignore-sigterm", { journal }));
  const pids = await processesIn(journal, 1);
  void pool.configure([]);
  void pool.close();
  await pool.close();
  await allDead(pids);
});

test("closing ends what a server has started, also when that ignores SIGTERM", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = await readyPoolOf(fake("with-grandchild", { journal }));
  const pids = await processesIn(journal, 2);
  await pool.close();
  // The kernel takes a moment to end what was killed.
  await allDead(pids);
});

test("closing ends the server behind a shell", async () => {
  const journal = join(temporaryFolder(), "journal");
  const script = `'${process.execPath}' '${fakePath}' --mode ignore-sigterm --journal '${journal}'; true`;
  const pool = await readyPoolOf(stdio("shell", "sh", ["-c", script]));
  expect(pool.status()[0]?.state).toBe("ready");
  const pids = await processesIn(journal, 1);
  await pool.close();
  // The kernel takes a moment to end what was killed.
  await allDead(pids);
});

test("closing while a server starts ends it too", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = poolOf(fake("never-initialize", { journal }));
  pool.start();
  const pids = await processesIn(journal, 1);
  await pool.close();
  // The kernel takes a moment to end what was killed.
  await allDead(pids);
  expect(pool.status()[0]?.state).toBe("closed");
});

test("a server that failed to start in time is ended without a close", async () => {
  const journal = join(temporaryFolder(), "journal");
  const pool = poolOf(fake("never-initialize", { journal, startTimeoutMs: 1000 }));
  pool.start();
  await allDead(await processesIn(journal, 1));
});

test("what a crashed server leaves behind is ended", async () => {
  const journal = join(temporaryFolder(), "journal");
  await readyPoolOf(fake("with-grandchild", { journal }));
  const pids = await processesIn(journal, 2);
  process.kill(pids[0] ?? 0, "SIGKILL");
  await allDead(pids);
});

test("closing twice, or before a start, does nothing more", async () => {
  const pool = await readyPoolOf(fake("normal"));
  await Promise.all([pool.close(), pool.close()]);
  await pool.close();
  const idle = poolOf(fake("normal"));
  await idle.close();
  expect(idle.status()[0]?.state).toBe("closed");
});

/** Starts a process that holds a pool, and waits until its servers are ready. */
async function startParent(journal: string, ...modes: string[]): Promise<ChildProcess> {
  const parent = spawn(process.execPath, [parentPath, journal, ...modes], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  await once(parent.stdout ?? parent, "data");
  return parent;
}

// The parent handles no signal, so that one that a process could handle stands for all of them.
test.each(["SIGKILL", "SIGTERM"] as const)("when %s ends us, nothing that we started lives on", async (signal) => {
  const journal = join(temporaryFolder(), "journal");
  const parent = await startParent(journal, "normal", "ignore-sigterm", "with-grandchild", "sh:ignore-sigterm");
  const pids = await processesIn(journal, 5);
  const watchers = watchersOf(parent.pid ?? 0);
  expect(watchers).toHaveLength(1);
  parent.kill(signal);
  await allDead([...pids, ...watchers]);
});

test("after an orderly close nothing of ours is left, the watcher included", async () => {
  const before = watchersOf(process.pid);
  const pool = await readyPoolOf(fake("normal"));
  const watchers = watchersOf(process.pid).filter((pid) => !before.includes(pid));
  expect(watchers).toHaveLength(1);
  await pool.close();
  await allDead(watchers);
});

/** The shells that watch over the groups of a process. */
function watchersOf(parent: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  return table.split("\n").flatMap((line) => {
    const [, pid, ppid, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(ppid) === parent && args?.startsWith("/bin/sh -c") ? [Number(pid)] : [];
  });
}
