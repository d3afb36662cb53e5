import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { parse } from "yaml";
import { isRecord, textOf } from "../../src/core/json.ts";

/** The suite, pinned in package.json; each scenario is a program and a client that it starts. */
const suite = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");

export type Revision = "2025-11-25" | "2026-07-28";

export interface Check {
  id: string;
  status: string;
  message: string;
}

/** The client scenarios that a revision requires. */
export async function scoredScenarios(revision: Revision): Promise<string[]> {
  const text = await readFile(join(suite, "..", "requirements", `${revision}.yaml`), "utf8");
  const requirements: unknown = parse(text);
  const { client } = isRecord(requirements) ? requirements : {};
  return Array.isArray(client) ? client.map(textOf) : [];
}

/** One file, so that each of the many starts is quick; gives the command. */
export async function bundleDriver(folder: string): Promise<string> {
  const outfile = join(folder, "client-driver.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "client-driver.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22.19",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  return `${process.execPath} ${outfile}`;
}

/** Runs one scenario; its exit code is not asked, for it is 0 where nothing was checked. */
export async function runScenario(
  scenario: string,
  { revision, command, folder }: { revision: Revision; command: string; folder: string },
): Promise<Check[]> {
  const output = join(folder, revision);
  const options = ["--scenario", scenario, "--spec-version", revision, "--timeout", "60000", "-o", output];
  const program = join(suite, "..", "dist", "index.js");
  await new Promise<void>((done) => {
    execFile(process.execPath, [program, "client", "--command", command, ...options], () => done());
  });
  // The time is added to the scenario's name, in which a slash is a folder.
  const [last = "", ...parents] = scenario.split("/").reverse();
  const parent = join(output, ...parents.reverse());
  const found = (await readdir(parent)).filter((name) => new RegExp(`^${last}-\\d{4}-\\d\\d-`).test(name));
  const checks: unknown = JSON.parse(await readFile(join(parent, found[0] ?? "", "checks.json"), "utf8"));
  return (Array.isArray(checks) ? checks : []).filter(isRecord).map((check) => ({
    id: textOf(check.id),
    status: textOf(check.status),
    message: textOf(check.errorMessage),
  }));
}
