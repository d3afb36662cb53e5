// A replica: a served program of its own process, with a home of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Limits how long a replica may take until it listens, and to end, in milliseconds. */
const longestStartMs = 120_000;
const longestEndMs = 120_000;

/**
 * Starts `program serve --http 0` and resolves when it listens. `lines` holds what it has written to stderr. Rejects with those lines where it
 * ends before, or does not listen in time.
 */
export async function startReplica({ program, config, home, env = {} }) {
  await mkdir(home, { recursive: true });
  const own = { PATH: process.env.PATH, HOME: home, DUET_HOME: join(home, "duet"), LANG: "en_US.UTF-8" };
  const child = spawn(process.execPath, [program, "serve", "--http", "0", "--config", config], {
    env: { ...own, ...env },
    cwd: home,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const closed = once(child, "close");
  const lines = [];
  const listening = Promise.withResolvers();
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    const origin = /(http:\/\/\S+)\/mcp/.exec(line)?.[1];
    if (origin !== undefined) listening.resolve(origin);
  });
  const fail = (what) => listening.reject(new Error(`the replica ${what}: ${lines.join("\n")}`));
  const limit = setTimeout(() => fail("does not listen"), longestStartMs);
  void closed.then(() => fail("has ended"));
  let origin;
  try {
    origin = await listening.promise;
  } catch (thrown) {
    kill();
    throw thrown;
  } finally {
    clearTimeout(limit);
  }
  return {
    origin,
    lines,
    pid: child.pid,
    child,
    async isReady() {
      const response = await fetch(`${origin}/readyz`).catch(() => undefined);
      await response?.body?.cancel();
      return response?.status === 200;
    },
    /** Asks it to end, and returns how many milliseconds that took and its exit code; `SIGKILL` where it did not. */
    async end(signal = "SIGTERM") {
      const began = performance.now();
      child.kill(signal);
      const late = setTimeout(kill, longestEndMs);
      const [code, killedBy] = await closed;
      clearTimeout(late);
      process.off("exit", kill);
      return { ms: performance.now() - began, code: code ?? killedBy };
    },
  };
}
