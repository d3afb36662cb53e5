import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Check, type Revision, readChecks, suiteProgram } from "./checks.ts";

/** What a scenario leaves unshown, by its name; most of them nothing. */
export type Unshown = Readonly<Record<string, readonly string[]>>;

/** What every scenario checks of what went over the wire, whatever it is about. */
const ofAll = "wire-schema-valid";

/** What a scenario has not shown; one that was skipped or not reached has shown nothing. */
export function unshown(checks: readonly Check[]): string[] {
  const shown = checks.some(({ id, status }) => status === "SUCCESS" && id !== ofAll);
  const other = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
  return [...(shown ? [] : ["nothing"]), ...other.map(({ id, status, message }) => `${status} ${id}: ${message}`)];
}

const patientTimers = new URL("wait-longer.mjs", import.meta.url).href;

/** Runs all scenarios of a revision in one process, once, and gives what each of them has not shown. */
export async function checkServer(url: string, revision: Revision): Promise<Map<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), "duet-conformance-"));
  const args = [
    "--import",
    patientTimers,
    suiteProgram,
    "server",
    "--url",
    url,
    "--requirements",
    revision,
    "--timeout",
    "60000",
    "-o",
    folder,
  ];
  try {
    // Its exit code is 0 also where a scenario was skipped, and 1 where one failed that is not required.
    await new Promise<void>((done) => execFile(process.execPath, args, { maxBuffer: 1e8 }, () => done()));
    const found = new Map<string, string[]>();
    for (const name of await readdir(folder))
      found.set(scenarioOf(name), unshown(await readChecks(join(folder, name))));
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A folder is called `server-NAME-TIME`. */
function scenarioOf(folder: string): string {
  return folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
}
