import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { createSemaphore } from "../../src/kit/async/semaphore.ts";
import { isRecord } from "../../src/kit/json.ts";
import { type Check, type Revision, suiteProgram, toChecks } from "./checks.ts";

export interface SuiteRun {
  url: string;
  revision: Revision;
  scenarios: readonly string[];
  /** How many of them go on at once; all when absent. */
  atOnce?: number;
  /** By how much longer than the suite a scenario waits for frames that may never come. */
  patience?: number;
}

/** Runs scenarios of the suite's server side, any number of them side by side, in one process. */
export interface Suite {
  /** Gives what each scenario has checked. */
  run(run: SuiteRun): Promise<Map<string, Check[]>>;
  close(): void;
}

export async function openSuite(): Promise<Suite> {
  const child = fork(join(import.meta.dirname, "suite-process.mjs"), [suiteProgram]);
  await waitForMessage(child);
  const places = createSemaphore(mostAtOnce);
  const waiting = new Map<number, (checks: Check[]) => void>();
  let count = 0;
  child.on("message", (message: unknown) => {
    if (isRecord(message)) waiting.get(Number(message.id))?.(toChecks(message.checks));
  });
  return {
    async run({ url, revision, scenarios, atOnce = scenarios.length, patience = 20 }) {
      const ofRun = createSemaphore(atOnce);
      const signal = AbortSignal.timeout(limitMs);
      const found = scenarios.map(async (scenario): Promise<[string, Check[]]> => {
        await ofRun.acquire(signal);
        await places.acquire(signal);
        try {
          const id = count++;
          const checks = new Promise<Check[]>((resolve) => waiting.set(id, resolve));
          child.send({ id, url, scenario, revision, timeoutMs, patience });
          return [scenario, await checks];
        } finally {
          places.release();
          ofRun.release();
        }
      });
      return new Map(await Promise.all(found));
    },
    close: () => child.disconnect(),
  };
}

/** Most scenarios wait more than they work; more of them at once would only keep each other from their answers. */
const mostAtOnce = 24;

/** Of one scenario, and of all of them, in milliseconds. */
const timeoutMs = 120_000;
const limitMs = 230_000;

function waitForMessage(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", (code) => reject(new Error(`The suite's process ended with ${code}`)));
  });
}
