import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";

/** The built program. */
export const program = resolve("dist/duet.js");

/**
 * Arguments of Node for many starts. What a program loads stays, so that the collections of V8's small first young generation only
 * copy it: they take a quarter of the processor time of a start.
 */
export const forManyStarts: readonly string[] = ["--min-semi-space-size=16"];

export interface ProgramOptions {
  /** On top of PATH and a HOME of its own; nothing else of this process's environment gets in. */
  env?: Record<string, string>;
  cwd?: string;
  /** Written to stdin, which is then closed; `null` leaves stdin open and empty. */
  stdin?: string | null;
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A user's environment: PATH, a home of its own, no local model; nothing else of this process gets in. */
export async function programEnvironment(more: Record<string, string> = {}): Promise<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: await temporaryFolder(),
    OLLAMA_BASE_URL: "http://127.0.0.1:9/v1",
    LANG: "en_US.UTF-8",
    ...more,
  };
}

/** Starts the built program as its user would; it is killed when the test ends. */
export async function startProgram(
  args: string[],
  options: ProgramOptions = {},
): Promise<ChildProcessWithoutNullStreams> {
  const env = await programEnvironment(options.env);
  const child = spawn(process.execPath, [...forManyStarts, program, ...args], {
    cwd: options.cwd ?? env.HOME,
    env,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs the built program to its end. */
export async function runProgram(args: string[], options: ProgramOptions = {}): Promise<Finished> {
  const child = await startProgram(args, options);
  const finished = collect(child);
  if (options.stdin !== null) child.stdin.end(options.stdin ?? "");
  return finished;
}

export function collect(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** A folder that is gone when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "duet-test-"));
  // A process that was killed may still be writing its last file into it.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return folder;
}

/** A configuration file in a folder of its own; gives its path. */
export async function configFile(config: unknown): Promise<string> {
  const file = join(await temporaryFolder(), "duet.config.json");
  await writeFile(file, typeof config === "string" ? config : JSON.stringify(config));
  return file;
}

export interface NpmServer {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** How a server from npm is started, by its package's name. */
export function npmServer(name: string, args: string[] = [], env: Record<string, string> = {}): NpmServer {
  return { command: resolve("node_modules/.bin", name), args, env: { ...compileCache(), ...env } };
}

/** Where Node keeps what it has compiled, so that a server that is started a hundred times is compiled but once. */
export function compileCache(): Record<string, string> {
  const folder = process.env.NODE_COMPILE_CACHE;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
