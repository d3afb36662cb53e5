import type { Evaluator } from "../agent/loop/evaluator.ts";
import type { Config, SubAgentSettings } from "../config/config.ts";
import type { HookRunner } from "../core/hooks.ts";
import type { FindRecords } from "../core/store/shared-records.ts";
import type { Once } from "../kit/async/once.ts";
import type { KeyedMutex } from "../kit/async/semaphore.ts";
import type { CommandKeys } from "../providers/keys/command-keys.ts";
import type { Agent } from "./agent/open-agent.ts";
import type { ActiveRuns } from "./ask/active-runs.ts";
import type { CloseLimits } from "./ask/ask-request.ts";
import type { AttachmentPreparation } from "./ask/prepare-attachments.ts";
import type { GivenHistories } from "./conversations/given-history.ts";
import type { OpenedStore } from "./conversations/open-store.ts";
import type { Sessions } from "./conversations/sessions.ts";
import type { StoreMonitor } from "./conversations/store-monitor.ts";
import type { createModelList } from "./models/list-models.ts";
import type { ModelRegistry } from "./models/model-registry.ts";
import type { OtherAgents } from "./sub-agents/other-agents.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import type { FindFolders } from "./tools/folders.ts";
import type { Gateways } from "./tools/gateway.ts";
import type { LimitSearches } from "./tools/search-limits.ts";
import type { ToolInventory } from "./tools/tool-inventory.ts";
import type { ToolSearch } from "./tools/tool-search.ts";

/** Holds what a `Duet` is made of. The parts are opened, and closed, where the program is composed. */
export interface DuetParts {
  readonly config: Config;
  readonly agent: Once<Agent>;
  readonly evaluator: Evaluator | undefined;
  /** Runs the user's hooks; absent where there are none. */
  readonly hooks: HookRunner | undefined;
  readonly models: ModelRegistry;
  /** Runs the commands that print keys. It is undefined where the configuration has none. */
  readonly keys: CommandKeys | undefined;
  readonly modelList: Once<ReturnType<typeof createModelList>>;
  readonly tools: ToolParts;
  readonly conversations: ConversationParts;
  readonly attachments: Once<AttachmentPreparation>;
  readonly subAgents: SubAgents;
  readonly telemetry: Telemetry;
  readonly runs: ActiveRuns;
  /** Stops the runs and closes every other part. */
  readonly close: (limits: Partial<CloseLimits>) => Promise<void>;
}

/** Holds the agents beside the main one, each with the parts of its own. */
export interface SubAgents {
  readonly all: readonly SubAgentSettings[];
  /** Returns the parts with which an agent runs. Throws a `config` error for a name that is not configured. */
  open(name: string, parts: DuetParts): SubAgent;
  /** Puts questions to those that are other programs. */
  readonly others: OtherAgents;
}

export interface SubAgent {
  readonly settings: SubAgentSettings;
  readonly parts: DuetParts;
}

export interface ToolParts {
  readonly inventory: ToolInventory;
  readonly gateways: Gateways;
  readonly search: ToolSearch;
  readonly limitSearches: LimitSearches;
  readonly findFolders: FindFolders;
}

export interface ConversationParts {
  readonly store: Once<OpenedStore>;
  readonly monitor: StoreMonitor;
  /** Opens what machines share beside conversations; absent where this one keeps its own. */
  readonly findRecords: FindRecords | undefined;
  readonly sessions: Sessions;
  /** Handles replies to the same waiting plan one after the other. */
  readonly planTurns: KeyedMutex;
  /** Holds the conversations that askers keep themselves. */
  readonly given: Once<GivenHistories>;
}
