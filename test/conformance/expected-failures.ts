import { readFileSync } from "node:fs";
import { isMatch } from "../../src/kit/text/match-pattern.ts";
import type { Check, Revision } from "./checks.ts";

/** What fails by design, as the page of the suite's results says it with its reason. */
export interface ExpectedFailure {
  /** A heading of the page. */
  target: string;
  revision: Revision;
  /** A name, or the beginning of several and `*`. */
  scenario: string;
  /** The ids of the checks; `any` where the whole scenario cannot pass. */
  checks: readonly string[] | "any";
}

const page = new URL("../../docs/development/conformance.md", import.meta.url);

/** Reads the tables below the headings of the page: `| revision | scenarios | checks | why |`. */
export function readExpectedFailures(): ExpectedFailure[] {
  const found: ExpectedFailure[] = [];
  let target = "";
  for (const line of readFileSync(page, "utf8").split("\n")) {
    if (line.startsWith("## ")) target = line.slice(3);
    const [, revisions = "", scenarios = "", checks = ""] = line.split("|").map((cell) => cell.trim());
    for (const [revision] of revisions.matchAll(/\d{4}-\d\d-\d\d/g))
      for (const [, scenario = ""] of scenarios.matchAll(/`([^`]+)`/g))
        found.push({ target, revision: toRevision(revision), scenario, checks: toIds(checks) });
  }
  return found;
}

function toRevision(text: string): Revision {
  if (text !== "2025-11-25" && text !== "2026-07-28")
    throw new Error(`The page has a revision that is not run: ${text}`);
  return text;
}

function toIds(cell: string): ExpectedFailure["checks"] {
  return cell === "any" ? cell : [...cell.matchAll(/`([^`]+)`/g)].map(([, id = ""]) => id);
}

/** What every scenario checks of what went over the wire, whatever it is about. */
const ofAll = "wire-schema-valid";

/** The checks of a scenario that were not passed, with what the suite says of them; one that has shown nothing has not passed. */
export function findFailures(checks: readonly Check[]): Map<string, string> {
  const failed = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
  const found = new Map(failed.map(({ id, status, message }) => [id, `${status} ${id}: ${message}`]));
  const isShown = checks.some(({ id, status }) => status === "SUCCESS" && id !== ofAll);
  if (!isShown && found.size === 0) found.set("nothing", "nothing was checked");
  return found;
}

/** What the suite found and the page does not say, and what the page says and the suite did not find; a line each. */
export function compareFailures(
  scenario: string,
  checks: readonly Check[],
  expected: readonly ExpectedFailure[],
): string[] {
  const failures = findFailures(checks);
  const rows = expected.filter((row) => isMatch(scenario, row.scenario));
  if (rows.some((row) => row.checks === "any")) return failures.size > 0 ? [] : [`${scenario} passes`];
  const ids = rows.flatMap((row) => row.checks);
  return [
    ...[...failures].filter(([id]) => !ids.includes(id)).map(([, text]) => text),
    ...ids.filter((id) => !failures.has(id)).map((id) => `${id} passes`),
  ];
}
