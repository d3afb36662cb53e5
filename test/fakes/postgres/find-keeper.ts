import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Names the variable with the address of the keeper of this test run. */
const keeperVariable = "POSTGRES_KEEPER";

/** Is the keeper that this process has started because its test run has none. */
let own: Promise<Keeper> | undefined;

export interface Keeper {
  url: string;
  /** Ends it, and its servers. */
  end(): Promise<void>;
}

/** Starts the process that keeps the servers of this one and of all that this one starts from now on. It ends with this one. */
export async function startKeeper(): Promise<Keeper> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "keeper.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
    // It is none of the processes that are killed together with this one.
    detached: true,
    windowsHide: true,
  });
  const lines = createInterface({ input: child.stdout });
  const told = await Promise.race([once(lines, "line"), once(child, "close")]);
  const url = String(told[0]);
  if (!url.startsWith("http:")) throw new Error("the keeper of the PostgreSQL servers has not started");
  // It does not keep this process from ending.
  child.unref();
  for (const pipe of [child.stdin, child.stdout]) if ("unref" in pipe && typeof pipe.unref === "function") pipe.unref();
  process.env[keeperVariable] = url;
  return {
    url,
    async end() {
      delete process.env[keeperVariable];
      child.ref();
      const closed = once(child, "close");
      child.stdin.end();
      await closed;
    },
  };
}

/** Returns the address of the keeper. */
export async function findKeeper(): Promise<string> {
  const url = process.env[keeperVariable];
  if (url !== undefined) return url;
  own ??= startKeeper();
  return (await own).url;
}
