import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Check, type Revision, readChecks, suiteProgram } from "./checks.ts";

const inPlace = new URL("start-in-place.mjs", import.meta.url).href;

interface Running {
  revision: Revision;
  /** Where the tasks of the clients go. */
  socket: string;
  folder: string;
}

/** Runs all that a revision requires; the exit code is not asked, for `checksOf` tells more. */
export async function runScenarios({ revision, socket, folder }: Running): Promise<void> {
  const options = ["--requirements", revision, "--timeout", "240000", "-o", join(folder, revision)];
  await new Promise<void>((done) => {
    const args = ["--import", inPlace, suiteProgram, "client", "--command", socket, ...options];
    execFile(process.execPath, args, () => done());
  });
}

/** What a scenario that ran has checked. */
export async function checksOf(scenario: string, { revision, folder }: Omit<Running, "socket">): Promise<Check[]> {
  // The time is added to the scenario's name, in which a slash is a folder.
  const [last = "", ...parents] = scenario.split("/").reverse();
  const parent = join(folder, revision, ...parents.reverse());
  const found = (await readdir(parent)).filter((name) => new RegExp(`^${last}-\\d{4}-\\d\\d-`).test(name));
  return readChecks(join(parent, found[0] ?? ""));
}
