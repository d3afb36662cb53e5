import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parse } from "yaml";
import { isRecord, toText } from "../../src/kit/json.ts";

/** The suite, pinned in package.json. */
const suite = join(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"), "..");

export const suiteProgram = join(suite, "dist", "index.js");

export type Revision = (typeof revisions)[number];

export const revisions = ["2025-11-25", "2026-07-28"] as const;

export interface Check {
  id: string;
  status: string;
  message: string;
}

/** The scenarios that a revision requires of this side. */
export async function scoredScenarios(revision: Revision, side: "client" | "server"): Promise<string[]> {
  const { [side]: scenarios } = await readRequirements(revision);
  return Array.isArray(scenarios) ? scenarios.map(toText) : [];
}

/** The scenarios of the server side that are run besides, and never count. */
export async function unscoredScenarios(revision: Revision): Promise<string[]> {
  const { not_scored: entries } = await readRequirements(revision);
  const ours = (Array.isArray(entries) ? entries : []).filter(isRecord).filter(({ leg }) => leg === "server");
  return ours.map(({ scenario }) => toText(scenario));
}

async function readRequirements(revision: Revision): Promise<Record<string, unknown>> {
  const requirements: unknown = parse(await readFile(join(suite, "requirements", `${revision}.yaml`), "utf8"));
  return isRecord(requirements) ? requirements : {};
}

/** What a scenario has checked, from the folder that it leaves. */
export async function readChecks(folder: string): Promise<Check[]> {
  return toChecks(JSON.parse(await readFile(join(folder, "checks.json"), "utf8")));
}

export function toChecks(checks: unknown): Check[] {
  return (Array.isArray(checks) ? checks : []).filter(isRecord).map((check) => ({
    id: toText(check.id),
    status: toText(check.status),
    message: toText(check.errorMessage),
  }));
}
