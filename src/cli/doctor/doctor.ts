import type { Duet, ModelChanges } from "../../app/open-duet.ts";
import type { Config } from "../../config/load-config.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { Console } from "../console.ts";
import { type Finding, toModelFinding, toServerFinding } from "./findings.ts";
import { toSearchFinding } from "./search.ts";
import {
  checkKeys,
  checkNode,
  checkServerSettings,
  checkStateFolder,
  toConfigurationFinding,
  toLeftOutFindings,
} from "./settings.ts";
import { checkOwnTools, checkRoots } from "./tools.ts";

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
  for await (const finding of runChecks(duet, config, signal)) {
    findings.push(finding);
    if (output === "text") console.stdout.write(`${renderFinding(finding, duet.locale)}\n`);
  }
  const ok = findings.every(({ state }) => state !== "failed");
  if (output === "json") {
    const checks = findings.map((finding) => asJson(finding, duet.locale));
    console.stdout.write(`${JSON.stringify({ ok, checks }, undefined, 2)}\n`);
  }
  return ok ? 0 : 1;
}

/** What takes time runs side by side, and is told in a fixed order; `changes` are those of the configured models. */
export async function* runChecks(
  duet: Duet,
  config: Config,
  signal: AbortSignal,
  changes?: ModelChanges,
): AsyncGenerator<Finding> {
  const models = duet.checkModels(signal, changes);
  const inventory = waitAbortable(duet.inventory(), signal);
  // Told below, in their turn.
  for (const work of [models, inventory]) work.catch(() => {});
  yield checkNode(process.versions.node);
  yield toConfigurationFinding(config);
  yield* toLeftOutFindings(config);
  yield* checkStateFolder(config);
  yield toSearchFinding(await duet.searchInUse());
  const checks = await models;
  yield* checkKeys(checks, config);
  for (const check of checks) yield toModelFinding(check, config);
  yield* await checkRoots(config);
  yield* checkOwnTools(await inventory, config);
  for (const server of (await inventory).servers) yield toServerFinding(server);
  yield* checkServerSettings(config);
}

const marks: Record<Finding["state"], string> = { ok: "✓", failed: "✗", none: "–" };

/** A finding as one line. */
export function renderFinding({ state, what, name, text, hint }: Finding, locale: Locale): string {
  const label = [say(locale, what), name].filter(Boolean).join(" ");
  const [colon, space] = locale === "zh" ? ["：", ""] : [": ", " "];
  const told = [say(locale, text), hint && say(locale, hint)].filter(Boolean).join(space);
  return `${marks[state]} ${sanitizeLine([label, told].filter(Boolean).join(colon))}`;
}

function asJson({ topic, state, name, text, hint, details }: Finding, locale: Locale): Record<string, unknown> {
  const message = say(locale, text);
  return { topic, name, state, message, hint: hint === undefined ? null : say(locale, hint), ...details };
}
