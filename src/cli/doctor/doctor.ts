import { stat } from "node:fs/promises";
import type { Duet } from "../../app/duet.ts";
import type { ModelChanges } from "../../app/models/change-models.ts";
import type { SearchCheck, SearchProvider } from "../../app/models/check-models.ts";
import type { Inventory } from "../../app/tools/tool-inventory.ts";
import { findMissingTools, isUserTool } from "../../app/tools/user-tools.ts";
import type { Config } from "../../config/config.ts";
import type { ReadConfig } from "../../config/load-config.ts";
import type { Path } from "../../config/sources/setting-path.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { toDuetError } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { listSearchBackends } from "../../tools/search/search-backends.ts";
import type { Console } from "../console.ts";
import { checkAgents } from "./check-agents.ts";
import { checkProxies, describeNetwork } from "./check-network.ts";
import { checkOutputSchemas } from "./check-output-schemas.ts";
import { checkPackages } from "./check-packages.ts";
import { checkPatterns } from "./check-patterns.ts";
import {
  checkKeys,
  checkNode,
  checkServerSettings,
  checkStateFolder,
  toConfigurationFinding,
  toErrorFindings,
  toLeftOutFindings,
  toUnreadFindings,
  toUnsetFindings,
  toUnusedFindings,
} from "./check-settings.ts";
import { checkSignIn } from "./check-sign-in.ts";
import { checkStore } from "./check-store.ts";
import { type Finding, toModelFinding, toServerFinding } from "./findings.ts";

export interface DoctorOptions {
  duet: Duet;
  config: Config;
  console: Console;
  output: "text" | "json";
  signal: AbortSignal;
  /** Holds what is wrong with the configuration. */
  faults?: ConfigFaults;
}

/** Holds the errors of a configuration, and the parts that were left out of it for them. */
export type ConfigFaults = Pick<ReadConfig, "errors" | "broken">;

/** Checks whatever a run needs, a line each, as soon as it is known. 0 when all is well, 1 when something is wrong. */
export async function runDoctor({ duet, config, console, output, signal, faults }: DoctorOptions): Promise<number> {
  const findings: Finding[] = [];
  for await (const finding of runChecks(duet, config, signal, { faults })) {
    findings.push(finding);
    if (output === "text") console.stdout.write(`${renderFinding(finding, duet.locale)}\n`);
  }
  const ok = findings.every(({ state }) => state !== "failed");
  if (output === "json") {
    const checks = findings.map((finding) => toJson(finding, duet.locale));
    console.stdout.write(`${JSON.stringify({ ok, checks }, undefined, 2)}\n`);
  }
  return ok ? 0 : 1;
}

/** Says what is checked beside the configuration itself. */
export interface CheckOptions {
  /** Replaces the configured models. */
  changes?: ModelChanges | undefined;
  faults?: ConfigFaults | undefined;
}

/** Runs the slow checks concurrently and yields their findings in a fixed order. */
export async function* runChecks(
  duet: Duet,
  config: Config,
  signal: AbortSignal,
  { changes, faults = noFaults }: CheckOptions = {},
): AsyncGenerator<Finding> {
  // A model other than the one that is meant says nothing about it.
  const hasModels = config.models.functionCall !== undefined || !faults.broken.some(isModels);
  const models = hasModels ? duet.models.check(signal, changes) : Promise.resolve([]);
  const inventory = waitAbortable(duet.inventory(), signal);
  // They are reported below, in their turn.
  const proxies = checkProxies(config, signal);
  const signIn = checkSignIn(config, signal);
  const agents = checkAgents(config);
  for (const work of [models, inventory, proxies, signIn, agents])
    void ignoreRejection<unknown>(work, "the finding about it reports it, in its turn");
  yield checkNode(process.versions.node);
  yield toConfigurationFinding(config, faults.errors);
  yield* toErrorFindings(faults.errors);
  yield* toLeftOutFindings(config);
  yield* toUnreadFindings(config);
  const missingFolder = checkStateFolder(config);
  yield* missingFolder;
  if (missingFolder.length === 0 && !faults.broken.some(isStore)) yield* await checkStore(duet.storeHealth, config);
  yield* describeNetwork(config);
  yield* await proxies;
  yield* await signIn;
  const search = await duet.searchInUse().catch(toUncheckedSearch);
  yield search !== null && "topic" in search ? search : toSearchFinding(search);
  const checks = await models;
  if (!hasModels) yield uncheckedModels;
  else {
    yield* checkKeys(checks, config);
    yield* checkPackages(checks);
  }
  for (const check of checks) yield toModelFinding(check, config);
  if (hasModels && (search === null || "chain" in search)) yield* toUnusedFindings(config, checks, search);
  yield* await checkRoots(config);
  yield* checkUserTools(await inventory, config);
  yield* checkPatterns(await inventory, config);
  yield* await checkOutputSchemas(await inventory);
  for (const server of (await inventory).servers) yield toServerFinding(server);
  yield* await agents;
  yield* toUnsetFindings(config);
  yield* checkServerSettings(config);
}

const noFaults: ConfigFaults = { errors: [], broken: [] };

/** Is true for the whole file, too, which may have named the models. */
function isModels([section = "models"]: Path): boolean {
  return section === "models";
}

/** Is true for the whole file, too, which may have named another store. */
function isStore([section = "store"]: Path): boolean {
  return section === "store" || section === "conversations";
}

/** A backend that is chosen and lacks its key is among the errors of the configuration. */
function toUncheckedSearch(thrown: unknown): Finding {
  const { text } = toDuetError(thrown);
  const what = { zh: "搜索", en: "search" };
  return { topic: "search", state: "failed", what, name: "", text: { zh: `${text.zh}。`, en: `${text.en}.` } };
}

const uncheckedModels: Finding = {
  topic: "model",
  state: "none",
  what: { zh: "模型", en: "models" },
  name: "",
  text: { zh: "未检查：见上面的配置错误。", en: "not checked: see the configuration errors above." },
};

const marks: Record<Finding["state"], string> = { ok: "✓", failed: "✗", none: "–" };

export function renderFinding({ state, what, name, text, hint }: Finding, locale: Locale): string {
  const label = [say(locale, what), name].filter(Boolean).join(" ");
  const [colon, space] = locale === "zh" ? ["：", ""] : [": ", " "];
  const parts = [say(locale, text), hint && say(locale, hint)].filter(Boolean).join(space);
  return `${marks[state]} ${sanitizeLine([label, parts].filter(Boolean).join(colon))}`;
}

function toJson({ topic, state, name, text, hint, details }: Finding, locale: Locale): Record<string, unknown> {
  const message = say(locale, text);
  return { topic, name, state, message, hint: hint === undefined ? null : say(locale, hint), ...details };
}

/**
 * Reports the tools in the user's own directory, with one finding for each part that cannot be used. Returns nothing when the
 * directory provides nothing.
 */
export function checkUserTools({ tools, dropped }: Inventory, { tools: { directory } }: Config): Finding[] {
  const names = tools.filter(isUserTool).map(({ name }) => name);
  const there: Finding = {
    topic: "tools",
    state: "ok",
    what,
    name: directory ?? "",
    text: { zh: names.join("、"), en: names.join(", ") },
    details: { tools: names },
  };
  const broken = findMissingTools(dropped).map(({ name, source, reason, text }): Finding => {
    return { topic: "tools", state: "failed", what, name: "", text, details: { tool: name, source, reason } };
  });
  return [...(names.length > 0 ? [there] : []), ...broken];
}

/** Reports directories that file tools may read but that do not exist; a tool would find nothing there and give no reason. */
export async function checkRoots({ tools: { roots } }: Config): Promise<Finding[]> {
  const there = await Promise.all(
    roots.map((root) =>
      stat(root).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    ),
  );
  return roots
    .filter((_, index) => !there[index])
    .map((root): Finding => {
      const text = { zh: "没有这个目录。", en: "there is no such directory." };
      return { topic: "tools", state: "failed", what: { zh: "tools.roots", en: "tools.roots" }, name: root, text };
    });
}

const what: Text = { zh: "自己的工具", en: "own tools" };

/**
 * Lists the providers that receive search queries, in the order in which they are asked. None of them was tried; null means that
 * search is off.
 */
export function toSearchFinding(search: SearchCheck | null): Finding {
  const finding = { topic: "search", what: { zh: "搜索", en: "search" } } as const;
  if (search === null) return { ...finding, state: "none", name: "", text: { zh: "已关闭", en: "off" } };
  const { chain } = search;
  const [first] = chain;
  if (first === undefined) return { ...finding, ...nobody };
  const toThirdParties = chain.some(({ thirdParty }) => thirdParty);
  return {
    ...finding,
    state: "ok",
    name: first.party,
    text: {
      zh: `${describeRoute(chain, "zh")}（未试用${toThirdParties ? "；免密钥的服务是第三方，会收到搜索词" : ""}）`,
      en: `${describeRoute(chain, "en")} (not tried${toThirdParties ? "; keyless services are third parties and receive the query" : ""})`,
    },
    details: {
      host: first.host,
      third_party: first.thirdParty,
      chain: chain.map(({ party, host, hasKey, thirdParty }) => ({
        ...{ name: party, host, key: hasKey, third_party: thirdParty },
      })),
    },
  };
}

/** Omits the first provider, which the line names already. */
function describeRoute(chain: readonly SearchProvider[], locale: Locale): string {
  const places = chain.map((party) => say(locale, describePlace(party)));
  return places.map((place, index) => (index === 0 ? place : `${chain[index]?.party} ${place}`)).join(" → ");
}

function describePlace({ host, hasKey, thirdParty }: SearchProvider): Text {
  if (hasKey) return { zh: `${host} 有密钥`, en: `${host} with a key` };
  return thirdParty ? { zh: `${host} 免密钥`, en: `${host} keyless` } : { zh: host, en: host };
}

const nobody: Pick<Finding, "state" | "name" | "text" | "hint"> = {
  state: "none",
  name: "",
  text: {
    zh: "没有可用的服务：没有密钥，且 search.keyless 为 false。",
    en: "no search service: there is no key, and search.keyless is false.",
  },
  hint: {
    zh: `请设置 ${listVariables("、")} 之一。`,
    en: `Set one of ${listVariables(", ")}.`,
  },
};

/** Lists the variables that give Duet a search service: keys, each with the page where a person gets it, and own servers. */
function listVariables(separator: string): string {
  const variables = listSearchBackends().flatMap(([, row]) => {
    if (row.access === "own-server") return [row.baseUrlEnv];
    return row.access === "opt-in" ? [] : [`${row.keyEnv} (${row.signUp})`];
  });
  return variables.join(separator);
}
