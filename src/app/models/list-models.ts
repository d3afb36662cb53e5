import type { Models } from "../../agent/run.ts";
import type { Config } from "../../config/config.ts";
import { offlineProvider as offline, toModelName } from "../../core/model/model.ts";
import type { KeyCommand, ModelSettings } from "../../core/model/model-settings.ts";
import { createWaitLimit, waitAbortable } from "../../kit/async/timeout.ts";
import { toDuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import type { CommandKeys } from "../../providers/keys/command-keys.ts";
import type { ListingAddress } from "../../providers/offered-models.ts";

/** Limits how long a vendor may take, in milliseconds. */
const requestMs = 10_000;

/** Is how long what a vendor offers is kept, and how long a failure is, in milliseconds. */
const keptMs = 600_000;
const keptFailureMs = 30_000;
/** A local Ollama is asked more often: models come and go there within a session. */
const keptLocalMs = 10_000;

const mostNames = 600;
const mostOfOne = 300;

export interface ModelList {
  /** Lists what can be chosen, as `provider/model`. */
  names: string[];
  /** Lists the vendors that did not say what they offer, and why. Their models are those of Duet's own list. */
  unlisted: { provider: string; reason: Text }[];
}

/**
 * Lists what can be chosen: the models in force, those that every vendor whose key is set says it offers, those of a local Ollama
 * that answers, and the offline rules. Of a vendor that says nothing in time, the models are those of the list that comes with Duet.
 */
export type ListModels = (inForce: Models, signal?: AbortSignal) => Promise<ModelList>;

/** A cloud lists what it sells, not what the customer has set up. */
const nothing: VendorAnswer = { answer: Promise.resolve([]), names: [], until: Number.POSITIVE_INFINITY };

interface VendorAnswer {
  answer: Promise<string[]>;
  /** Is set when the answer is there. */
  names?: string[];
  reason?: Text;
  until: number;
}

export interface ModelListOptions {
  /** Limits how long a list waits for the vendors, in milliseconds. A later list has what came late. */
  patienceMs?: number;
  /** Runs the commands that print keys. */
  keys?: CommandKeys | undefined;
}

/**
 * Asks each vendor rarely: whoever types a name wants the list at each key.
 */
export function createModelList(config: Config, { patienceMs = 1000, keys }: ModelListOptions = {}): ListModels {
  const asked = new Map<string, VendorAnswer>();

  async function askVendor(from: ListingAddress, command: KeyCommand | undefined): Promise<string[]> {
    const { listOfferedModels } = await import("../../providers/offered-models.ts");
    const printed = command === undefined ? undefined : await keys?.get(command);
    return listOfferedModels(printed === undefined ? from : { ...from, apiKey: printed }, { ms: requestMs });
  }

  function ask(from: ListingAddress & Pick<ModelSettings, "apiKeyCommand">, longestMs: number): VendorAnswer {
    const key = `${from.provider} ${from.baseUrl}`;
    const known = asked.get(key);
    if (known !== undefined && performance.now() < known.until) return known;
    const answer = askVendor(from, from.apiKeyCommand);
    // The list that is being replaced stands until the new one is there.
    const entry: VendorAnswer = {
      answer,
      ...(known?.names && { names: known.names }),
      until: Number.POSITIVE_INFINITY,
    };
    asked.set(key, entry);
    answer.then(
      (names) => {
        entry.names = names;
        entry.until = performance.now() + longestMs;
      },
      (thrown) => {
        entry.reason = toDuetError(thrown).text;
        entry.until = performance.now() + Math.min(longestMs, keptFailureMs);
      },
    );
    return entry;
  }

  async function waitForAll(entries: readonly VendorAnswer[], signal: AbortSignal | undefined): Promise<void> {
    const limit = createWaitLimit(patienceMs, signal);
    try {
      await waitAbortable(Promise.allSettled(entries.map(({ answer }) => answer)), limit.signal);
    } catch {
      signal?.throwIfAborted();
    } finally {
      limit.clear();
    }
  }

  return async (inForce, signal) => {
    const { listKnownModels } = await waitAbortable(import("../../providers/known-models/known-models.ts"), signal);
    const local = ask({ provider: "ollama", wire: "openai-chat", ...config.ollama }, keptLocalMs);
    const vendors = findOfferers(config).map((choice) => ({
      choice,
      entry: choice.cloud ? nothing : ask(choice, keptMs),
    }));
    await waitForAll([local, ...vendors.map(({ entry }) => entry)], signal);
    const ofVendors = vendors.map(async ({ choice, entry }) => {
      const listed = entry.names ?? (await listKnownModels(choice.provider));
      return listNames(choice, config, listed).slice(0, mostOfOne);
    });
    const all = [
      toModelName(inForce.functionCall),
      toModelName(inForce.answer),
      ...(await waitAbortable(Promise.all(ofVendors), signal)).flat(),
      ...(local.names ?? []).slice(0, mostOfOne).map((model) => toModelName({ provider: "ollama", model })),
    ];
    const names = new Set(all.map((name) => (name.startsWith(`${offline}/`) ? offline : name)));
    return {
      names: [...new Set([...[...names].slice(0, mostNames - 1), offline])],
      unlisted: vendors
        .filter(({ entry }) => entry.names === undefined)
        .map(({ choice: { provider }, entry }) => ({ provider, reason: entry.reason ?? describeSilence(patienceMs) })),
    };
  };
}

function describeSilence(ms: number): Text {
  return { zh: `${ms / 1000} 秒内没有回答`, en: `no answer within ${ms / 1000} s` };
}

/** Returns the configured models and the first model of each vendor whose key is set, one for each address. */
function findOfferers({ candidates, providers, models, environment }: Config): ModelSettings[] {
  const own = [models.functionCall, models.answer].flatMap((choice) =>
    choice !== undefined && "wire" in choice ? [choice] : [],
  );
  const usable = [...own, ...candidates].filter(({ provider }) => {
    const row = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
    if (row === undefined || row.keyCommand !== undefined || row.keyEnv === undefined) return row !== undefined;
    return environment[row.keyEnv]?.trim();
  });
  const isFirst = ({ provider, baseUrl }: ModelSettings, at: number): boolean =>
    usable.findIndex((other) => other.provider === provider && other.baseUrl === baseUrl) === at;
  return usable.filter(isFirst);
}

/** Puts the model in force first, then the names that the vendor's users know, then those with a price of the user's own. */
function listNames({ provider, model }: ModelSettings, { providers }: Config, listed: readonly string[]): string[] {
  const { prices = {}, knownAs = [] } = providers[provider] ?? {};
  const known = [...Object.keys(prices), ...sortNewestFirst(listed, model)];
  return [...new Set([model, ...knownAs, ...known])].map((name) => toModelName({ provider, model: name }));
}

/** Sorts models: those of the default's family first, and within a family the higher number first. */
function sortNewestFirst(models: readonly string[], first: string): string[] {
  const family = getFamily(first);
  const isKin = (model: string): number => Number(getFamily(model) === family);
  return [...models].sort((a, b) => isKin(b) - isKin(a) || b.localeCompare(a, "en", { numeric: true }));
}

/** Returns `gpt` for `gpt-6.1-terra`. */
function getFamily(model: string): string {
  return /^[a-z]+/i.exec(model)?.[0] ?? "";
}
