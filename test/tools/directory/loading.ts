// Real modules in a real directory, loaded in a process of their own: the test runner would read them its own way.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Job, Report } from "../../fakes/user-tools.ts";
import { temporaryFiles } from "../builtin/files.ts";

const loader = join(import.meta.dirname, "../../fakes/user-tools.ts");

/** What loading a directory with these files gives, and what the calls to its tools do. */
export async function loadFiles(files: Record<string, string>, job: Omit<Job, "directory"> = {}): Promise<Report> {
  const folder = await temporaryFiles(files);
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return loadDirectory({ ...job, directory: folder.path });
}

export async function loadDirectory(job: Job): Promise<Report> {
  const child = spawn(process.execPath, [loader], { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end(JSON.stringify(job));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (output === "") throw new Error(errors);
  return JSON.parse(output);
}

/** A module of one tool (the shape of docs/development/contract.md#tool-modules). */
export function moduleOf(name: string, run: string, more = ""): string {
  return `export default { name: "${name}", description: "The tool ${name}.", inputSchema: {}, run: ${run}, ${more} };`;
}
