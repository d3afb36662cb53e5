import type { DuetOverrides } from "../app/ask/ask-request.ts";
import type { WhenAway } from "../app/conversations/store-settings.ts";
import type { Duet } from "../app/duet.ts";
import type { Config } from "../config/config.ts";
import type { Flags } from "../config/settings/settings.ts";
import type { Credentials } from "../core/store/credentials.ts";
import type { Retention } from "../core/store/retention.ts";
import type { ConversationStore } from "../core/store/store.ts";
import { waitAbortable } from "../kit/async/timeout.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { type Console, type Context, createWarn, writeLine } from "./console.ts";

export interface DuetContext extends Context {
  config: Config;
  duet: Duet;
}

export interface OpeningOptions extends Pick<DuetOverrides, "startServers" | "passesOn" | "servesOthers"> {
  /** Makes a `DUET_HOME` that cannot be created an error; true when absent. */
  needsState?: boolean;
  /** Says what is done where the database of the store cannot be reached; the command ends when absent. */
  whenAway?: WhenAway | undefined;
  /** Limits the export of the last spans when the process has to end soon, in milliseconds. */
  telemetryMs?: number;
}

/** Opens the agent for a command, and closes it after it; returns the command's exit code. */
export async function withDuet(
  flags: Flags,
  context: Context,
  work: (opened: DuetContext) => Promise<number>,
  { needsState = true, whenAway, telemetryMs, ...overrides }: OpeningOptions = {},
): Promise<number> {
  const { console } = context;
  const loading = needsState ? loadWithState(flags, console) : load(flags, console);
  const [config] = await Promise.all([loading, import("../app/open-duet.ts")]);
  if (needsState) await refuseUnusable(config, whenAway);
  return withOpened(config, context, work, { ...overrides, telemetryMs });
}

/** Does the same with a configuration that was read before. */
export async function withOpened(
  config: Config,
  context: Context,
  work: (opened: DuetContext) => Promise<number>,
  { telemetryMs, ...overrides }: Omit<OpeningOptions, "needsState" | "whenAway"> = {},
): Promise<number> {
  const { console, signal } = context;
  const { openDuet } = await import("../app/open-duet.ts");
  const duet = await waitAbortable(openDuet(config, { ...overrides, warn: createWarn(config, console) }), signal);
  try {
    return await work({ ...context, config, duet });
  } finally {
    await closeDuet(duet, context, telemetryMs);
  }
}

/** Loads the configuration, and reports on stderr the settings that are not applied. */
export async function load(flags: Flags, console: Console): Promise<Config> {
  const { loadConfig } = await import("../config/load-config.ts");
  const config = await loadConfig(flags);
  const { describeUnused } = await import("../config/unused.ts");
  for (const line of describeUnused(config)) createWarn(config, console)(line);
  return config;
}

/**
 * Loads the configuration for a command that stores or reads data; throws a `config` error when `DUET_HOME` cannot be created.
 */
export async function loadWithState(flags: Flags, console: Console): Promise<Config> {
  const config = await load(flags, console);
  const { createStateFolder } = await import("../config/sources/state-folder.ts");
  createStateFolder(config);
  return config;
}

/** Throws where the store cannot be used, such as one that a newer Duet wrote: what is asked would be kept nowhere. */
async function refuseUnusable(config: Config, whenAway?: WhenAway): Promise<void> {
  const { refuseUnusableStore } = await import("../app/conversations/store-settings.ts");
  await refuseUnusableStore(config, whenAway);
}

/** Reserves this many milliseconds for the steps after closing; closing itself gets at least `minimumMs`. */
const lastStepsMs = 100;
const minimumMs = 50;

/** Reports notices about the store that no run has reported, including those found while closing. */
async function closeDuet(duet: Duet, { console, deadline }: Context, telemetryMs?: number): Promise<void> {
  const leftMs = deadline?.leftMs;
  const isLimited = leftMs !== undefined;
  await duet.close(isLimited ? { totalMs: Math.max(minimumMs, leftMs - lastStepsMs), telemetryMs } : undefined);
  for (const { message } of await duet.storeHealth.takeNotices()) writeLine(console, sanitizeLine(message));
}

export interface OpenedStore extends Context {
  config: Config;
  store: ConversationStore;
  retention: Retention | undefined;
  credentials: Credentials;
}

/**
 * Opens nothing but the store for a command, and closes it after it; returns the command's exit code. A command that `onlyReads` works
 * on a store that may not be written, too.
 */
export async function withStore(
  flags: Flags,
  context: Context,
  work: (opened: OpenedStore) => Promise<number>,
  { onlyReads = false } = {},
): Promise<number> {
  const { console } = context;
  const [config, { openStore, openStoreToRead }] = await Promise.all([
    loadWithState(flags, console),
    import("../app/conversations/open-store.ts"),
  ]);
  await refuseUnusable(config);
  const { store, retention, credentials, problem, takeNotices } = await (onlyReads ? openStoreToRead : openStore)(
    config,
  );
  if (problem) throw problem;
  try {
    return await work({ ...context, config, store, retention, credentials });
  } finally {
    await store.close();
    for (const { message } of takeNotices(config.locale)) writeLine(console, sanitizeLine(message));
  }
}
