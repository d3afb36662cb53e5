import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { isRecord } from "../../src/kit/json.ts";
import {
  type Finished,
  forManyStarts,
  type ProgramOptions,
  program,
  programEnvironment,
  type runProgram,
} from "./program.ts";

/** Holds the process that all files of a worker share. It has loaded the built program's `main` and runs one job at a time. */
let host: Promise<ChildProcess> | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Runs the built program as `runProgram` does, but in that process. It is for tests of what the program prints. */
export const runWarmProgram: typeof runProgram = (args, options = {}) => {
  const next = last.then(() => run(args, options));
  last = next.catch(() => {});
  return next;
};

async function run(args: string[], { env: more, cwd, stdin = "" }: ProgramOptions): Promise<Finished> {
  const env = await programEnvironment(more);
  host ??= startHost().catch((error: unknown) => {
    host = undefined;
    throw error;
  });
  const child = await host;
  let over = false;
  onTestFinished(() => {
    if (over) return;
    host = undefined;
    child.kill("SIGKILL");
  });
  const finished = answerOf(child);
  child.send({ args, env, cwd: cwd ?? env.HOME, stdin });
  const { code, stdout, stderr } = await finished;
  over = true;
  return { code: Number(code), stdout: String(stdout), stderr: String(stderr) };
}

async function startHost(): Promise<ChildProcess> {
  const [, start = ""] = /"(\.\/start-\w+\.js)"/.exec(readFileSync(program, "utf8")) ?? [];
  const { NODE_COMPILE_CACHE, PATH } = process.env;
  const child = fork(join(import.meta.dirname, "warm-host.mjs"), [join(program, "..", start)], {
    execArgv: [...forManyStarts],
    env: { PATH, NODE_COMPILE_CACHE },
  });
  await answerOf(child);
  child.once("exit", () => {
    host = undefined;
  });
  // It ends with the worker, and does not keep it from ending.
  child.unref();
  child.channel?.unref();
  return child;
}

/** The next message; rejects when the process ends instead. */
function answerOf(child: ChildProcess): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`The program's process ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message: unknown) => {
      child.off("exit", ended);
      resolve(isRecord(message) ? message : {});
    });
  });
}
