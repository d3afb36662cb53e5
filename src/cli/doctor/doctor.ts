import type { Duet, ModelChanges } from "../../app/open-duet.ts";
import type { Config } from "../../config/load-config.ts";
import { abortable } from "../../kit/async/timeout.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { printableLine } from "../../kit/text/sanitize.ts";
import type { Console } from "../console.ts";
import { type Finding, modelFinding, serverFinding } from "./findings.ts";
import { searchFinding } from "./search.ts";
import {
  configurationFinding,
  keyFindings,
  leftOutFindings,
  nodeFinding,
  serverSettingsFindings,
  stateFolderFindings,
} from "./settings.ts";
import { ownToolsFindings, rootFindings } from "./tools.ts";

export interface DoctorOptions {
  duet: Duet;
  config: Config;
  console: Console;
  output: "text" | "json";
  signal: AbortSignal;
}

/** Checks whatever a run needs, a line each, as soon as it is known. 0 when all is well, 1 when something is wrong. */
export async function runDoctor({ duet, config, console, output, signal }: DoctorOptions): Promise<number> {
  const findings: Finding[] = [];
  for await (const finding of examine(duet, config, signal)) {
    findings.push(finding);
    if (output === "text") console.stdout.write(`${findingLine(finding, duet.locale)}\n`);
  }
  const ok = findings.every(({ state }) => state !== "failed");
  if (output === "json") {
    const checks = findings.map((finding) => asJson(finding, duet.locale));
    console.stdout.write(`${JSON.stringify({ ok, checks }, undefined, 2)}\n`);
  }
  return ok ? 0 : 1;
}

/** What takes time runs side by side, and is told in a fixed order; `changes` are those of the configured models. */
export async function* examine(
  duet: Duet,
  config: Config,
  signal: AbortSignal,
  changes?: ModelChanges,
): AsyncGenerator<Finding> {
  const models = duet.checkModels(signal, changes);
  const inventory = abortable(duet.inventory(), signal);
  // Told below, in their turn.
  for (const work of [models, inventory]) work.catch(() => {});
  yield nodeFinding(process.versions.node);
  yield configurationFinding(config);
  yield* leftOutFindings(config);
  yield* stateFolderFindings(config);
  yield searchFinding(await duet.searchInUse());
  const checks = await models;
  yield* keyFindings(checks, config);
  for (const check of checks) yield modelFinding(check, config);
  yield* await rootFindings(config);
  yield* ownToolsFindings(await inventory, config);
  for (const server of (await inventory).servers) yield serverFinding(server);
  yield* serverSettingsFindings(config);
}

const marks: Record<Finding["state"], string> = { ok: "✓", failed: "✗", none: "–" };

/** A finding as one line. */
export function findingLine({ state, what, name, text, hint }: Finding, locale: Locale): string {
  const label = [say(locale, what), name].filter(Boolean).join(" ");
  const [colon, space] = locale === "zh" ? ["：", ""] : [": ", " "];
  const told = [say(locale, text), hint && say(locale, hint)].filter(Boolean).join(space);
  return `${marks[state]} ${printableLine([label, told].filter(Boolean).join(colon))}`;
}

function asJson({ topic, state, name, text, hint, details }: Finding, locale: Locale): Record<string, unknown> {
  const message = say(locale, text);
  return { topic, name, state, message, hint: hint === undefined ? null : say(locale, hint), ...details };
}
