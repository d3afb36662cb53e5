import type { Config } from "../config/config.ts";
import { createOnce } from "../kit/async/once.ts";
import { createKeyedMutex } from "../kit/async/semaphore.ts";
import { createActiveRuns } from "./active-runs.ts";
import { openAgent, readUserAgentParts } from "./agent/open-agent.ts";
import type { CloseLimits, DuetOverrides } from "./ask-request.ts";
import { openStore } from "./conversations/open-store.ts";
import { createSessions } from "./conversations/sessions.ts";
import { Duet } from "./duet.ts";
import { createModelRegistry } from "./models/model-registry.ts";
import { createSample } from "./sampling.ts";
import { openTelemetry } from "./telemetry/telemetry.ts";
import { createGateways } from "./tools/gateway.ts";
import { createSearchLimits } from "./tools/search-limits.ts";
import { openToolInventory } from "./tools/tool-inventory.ts";
import { createToolSearch } from "./tools/tool-search.ts";

/**
 * Opens the agent. Downstream servers begin to start at once, except lazy ones and where `startServers` says otherwise; everything heavy is imported when first needed. Throws a
 * `config` error, with nothing begun, when the prompts or the evaluator that the configuration names cannot be used.
 */
export async function openDuet(config: Config, parts: DuetOverrides = {}): Promise<Duet> {
  const warn = parts.warn ?? (() => {});
  const own = await readUserAgentParts(config, warn);
  const models = createModelRegistry(config, parts.models);
  const sample = createSample(models.open);
  const inventory = openToolInventory(config, { own: parts.tools, sample, warn, start: parts.startServers });
  const gateways = createGateways(inventory, warn);
  const store = createOnce(() => openStore(config, parts.store));
  const telemetry = openTelemetry(config.telemetry, warn);
  const runs = createActiveRuns();

  /** Closes in reverse order. Servers shut down while the runs end and their last spans are sent. */
  async function close({ totalMs, telemetryMs = totalMs }: Partial<CloseLimits>): Promise<void> {
    async function closeAfterRuns(): Promise<void> {
      await runs.stop(totalMs && totalMs / 2);
      await Promise.all([telemetry.close(telemetryMs), closeStore(), own.close()]);
    }
    await Promise.all([inventory.close(totalMs), closeAfterRuns()]);
  }

  /** Closes the store that was opened here. A program that brought its own keeps it open. */
  async function closeStore(): Promise<void> {
    if (parts.store === undefined) await store.current?.then((opened) => opened.store.close());
  }

  return new Duet({
    config,
    agent: createOnce(() => openAgent(own.prompts)),
    evaluator: parts.evaluator ?? own.evaluator,
    models,
    modelList: createOnce(async () => (await import("./models/list-models.ts")).createModelList(config)),
    tools: {
      inventory,
      gateways,
      search: createToolSearch(config),
      limitSearches: createSearchLimits(config.search),
    },
    conversations: {
      store,
      sessions: createSessions(),
      planTurns: createKeyedMutex(),
      given: createOnce(async () => (await import("./conversations/given-history.ts")).createGivenHistories()),
    },
    telemetry,
    runs,
    close,
  });
}
