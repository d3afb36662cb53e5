import type { Models } from "../agent/run.ts";
import type { Config } from "../config/config.ts";
import type { Message } from "../core/model/messages.ts";
import {
  addUsage,
  type Model,
  type ModelEvent,
  noUsage,
  type Turn,
  toModelName,
  type Usage,
} from "../core/model/model.ts";
import type { Sample, SamplingReply, SamplingRequest } from "../core/model/sampling.ts";
import { noticeKinds } from "../core/notices/notice-kinds.ts";
import { createOnce } from "../kit/async/once.ts";
import { createKeyedMutex } from "../kit/async/semaphore.ts";
import { createTimeLimit, createWaitLimit, type TimeLimit, timeoutError, waitAbortable } from "../kit/async/timeout.ts";
import { DuetError } from "../kit/errors.ts";
import { createRandomHex } from "../kit/random.ts";
import { createRedactor, type Redactor } from "../kit/text/redact.ts";
import { openAgent, readUserAgentParts } from "./agent/open-agent.ts";
import { openUserHooks } from "./agent/open-hooks.ts";
import { createActiveRuns } from "./ask/active-runs.ts";
import type { CloseLimits, DuetOverrides } from "./ask/ask-request.ts";
import { createFindRecords } from "./conversations/find-records.ts";
import type { OpenedStore } from "./conversations/open-store.ts";
import { createSessions } from "./conversations/sessions.ts";
import { createStoreMonitor } from "./conversations/store-monitor.ts";
import type { UnsavedRuns } from "./conversations/unsaved-runs.ts";
import { Duet } from "./duet.ts";
import { createModelRegistry } from "./models/model-registry.ts";
import { withTurnBudget } from "./models/with-turn-budget.ts";
import { listKnownSecrets } from "./secrets/known-secrets.ts";
import { createOtherAgents } from "./sub-agents/other-agents.ts";
import { createSubAgents } from "./sub-agents/sub-agents.ts";
import { openTelemetry } from "./telemetry/telemetry.ts";
import { createFolders } from "./tools/folders.ts";
import { createGateways } from "./tools/gateway.ts";
import { createSearchLimits } from "./tools/search-limits.ts";
import { openToolInventory } from "./tools/tool-inventory.ts";
import { createToolSearch } from "./tools/tool-search.ts";

/** Tries once more to save what could not be saved, and leaves a notice of what came of it. */
async function saveLast({ addNotice }: OpenedStore, unsaved: UnsavedRuns): Promise<void> {
  const limit = createWaitLimit(lastSavingMs);
  const { saved, lost } = await unsaved.close(limit.signal);
  limit.clear();
  if (saved > 0) addNotice((locale) => noticeKinds.savedLate("earlier", locale));
  if (lost > 0) addNotice((locale) => noticeKinds.runsLost(lost, locale));
}

/** Limits the last attempt to save what could not be saved before, in milliseconds. */
const lastSavingMs = 300;

/**
 * Opens the agent. Downstream servers begin to start at once, except lazy ones and where `startServers` says otherwise; everything heavy is imported when first needed. Throws a
 * `config` error, with nothing begun, when the prompts, the evaluator or a module of a hook that the configuration names cannot be used.
 */
export async function openDuet(read: Config, parts: DuetOverrides = {}): Promise<Duet> {
  const config = parts.servesOthers ? { ...read, localeIsChosen: read.settings.locale !== undefined } : read;
  const warn = parts.warn ?? (() => {});
  const own = await readUserAgentParts(config, warn);
  const hasCommands = hasKeyCommands(config);
  const redactor = parts.redactor ?? createKnownRedactor(config);
  const opened = await openUserHooks(config, { redactor, warn }).catch(async (thrown: unknown) => {
    await own.close();
    throw thrown;
  });
  const hooks = opened?.hooks;
  const keys = hasCommands
    ? (await import("../providers/keys/command-keys.ts")).createCommandKeys({
        environment: config.environment,
        onKey: (value) => redactor.add({ name: "API_KEY", value }),
      })
    : undefined;
  const models = createModelRegistry(config, parts.models, { redactor, keys });
  const sample = createSample(models.open);
  const { tools: ownTools, startServers: start, passesOn, intercept } = parts;
  const monitor = createStoreMonitor();
  const store = createOnce(async () => {
    const { openStore } = await import("./conversations/open-store.ts");
    return openStore(config, parts.store, monitor);
  });
  const findRecords = createFindRecords(config, parts.store, store);
  const inventory = openToolInventory(config, {
    findRecords,
    own: ownTools,
    sample,
    redactor,
    hooks,
    warn,
    start,
    passesOn,
    intercept,
  });
  const gateways = createGateways(inventory, warn);
  const attachments = createOnce(async () =>
    (await import("./ask/prepare-attachments.ts")).createAttachmentPreparation(),
  );
  const telemetry = openTelemetry(config.telemetry, { warn, redact: redactor.redact });
  const runs = createActiveRuns();
  const otherAgents = createOtherAgents(config);

  /** Closes in reverse order. Servers shut down while the runs end and their last spans are sent. */
  async function close({ totalMs, telemetryMs = totalMs }: Partial<CloseLimits>): Promise<void> {
    async function closeAfterRuns(): Promise<void> {
      await runs.stop(totalMs && totalMs / 2);
      await Promise.all([telemetry.close(telemetryMs), closeStore(), own.close(), opened?.close(), closeAttachments()]);
    }
    await Promise.all([inventory.close(totalMs), otherAgents.close(totalMs), closeAfterRuns()]);
    keys?.close();
  }

  async function closeAttachments(): Promise<void> {
    await (await attachments.current)?.close();
  }

  /** Closes the store that was opened here. A program that brought its own keeps it open. */
  async function closeStore(): Promise<void> {
    if (parts.store !== undefined) return;
    const opened = await store.current;
    opened?.stopOpening?.();
    const unsaved = opened?.findUnsaved?.();
    if (opened && unsaved) await saveLast(opened, unsaved);
    await opened?.store.close();
  }

  return new Duet({
    config,
    agent: createOnce(() => openAgent(own.prompts)),
    evaluator: parts.evaluator ?? own.evaluator,
    hooks,
    models,
    keys,
    modelList: createOnce(async () => (await import("./models/list-models.ts")).createModelList(config, { keys })),
    tools: {
      inventory,
      gateways,
      search: createToolSearch(config),
      limitSearches: createSearchLimits(config.search),
      findFolders: createFolders(),
    },
    conversations: {
      store,
      monitor,
      findRecords,
      sessions: createSessions(),
      planTurns: createKeyedMutex(),
      given: createOnce(async () => (await import("./conversations/given-history.ts")).createGivenHistories()),
    },
    attachments,
    subAgents: createSubAgents(config, otherAgents, (own) => createModelRegistry(own, {}, { redactor, keys })),
    telemetry,
    runs,
    close,
  });
}

function hasKeyCommands({ providers }: Pick<Config, "providers">): boolean {
  return Object.values(providers).some(({ keyCommand }) => keyCommand !== undefined);
}

/** Creates what takes the secrets of a configuration out of texts. Keys that commands print are added to it later. */
export function createKnownRedactor(config: Config): Redactor {
  return createRedactor(listKnownSecrets(config), hasKeyCommands(config));
}

/** Limits the writing of one text, in milliseconds. */
const longestWritingMs = 60_000;

/**
 * Has the function-call model write texts for programs below. Each is a call by itself: none of our prompts, conversations or
 * tools are in it.
 */
export function createSample(models: () => Promise<Pick<Models, "functionCall">>): Sample {
  return async (request, outer) => {
    const limit = createTimeLimit(longestWritingMs, () => timeoutError("sampling", longestWritingMs), outer);
    try {
      const { functionCall: model } = await waitAbortable(models(), limit.signal);
      if (model.followsPrompts === false) throw noModelError(model);
      return await write(model, request, limit);
    } finally {
      limit.clear();
    }
  };
}

async function write(outer: Model, request: SamplingRequest, limit: TimeLimit): Promise<SamplingReply> {
  const { billing } = request;
  const model = withTurnBudget(outer, billing?.budget);
  const spent: Usage[] = [];
  const findCosts = () => spent.map((usage) => model.cost?.(usage) ?? null);
  const began = performance.now();
  let turn: Turn | undefined;
  const run = { id: `sampling-${createRandomHex()}`, leftMs: limit.getLeftMs };
  const asked = { messages: toMessages(request), tools: [], maxTokens: request.maxTokens, run };
  try {
    const noteSpent = (event: ModelEvent): void => {
      if (event.type === "spent") spent.push(event.usage);
    };
    turn = await model.stream(asked, noteSpent, limit.signal);
  } finally {
    if (turn !== undefined) spent.push(turn.usage);
    const elapsedMs = performance.now() - began;
    if (spent.length > 0) billing?.charge({ usage: spent.reduce(addUsage, noUsage), elapsedMs, costs: findCosts() });
  }
  if (turn.finish !== "stop" && turn.finish !== "length") throw unwrittenError(model, turn);
  return {
    text: turn.message.content,
    model: toModelName(model),
    finish: turn.finish,
    tokens: spent.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
    costUsd: findCosts().reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
  };
}

/**
 * Converts the messages of a request. What a downstream program calls its system prompt becomes a user's message too: text from
 * outside never becomes a system prompt.
 */
function toMessages({ system, messages }: SamplingRequest): Message[] {
  const written = messages.map(
    ({ role, text }): Message => (role === "user" ? { role, content: text } : { role, content: text, toolCalls: [] }),
  );
  const head: Message[] = system === undefined ? [] : [{ role: "user", content: system }];
  return [...head, ...written];
}

function noModelError(model: Model): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `${toModelName(model)} 不是语言模型，不能为 MCP 服务器写文本`,
      en: `${toModelName(model)} is not a language model and cannot write for MCP servers`,
    },
  });
}

function unwrittenError(model: Model, { finish }: Turn): DuetError {
  return new DuetError({
    code: finish === "refused" || finish === "content-filter" ? "content_filter" : "bad_response",
    text: {
      zh: `${toModelName(model)} 没有写出 MCP 服务器要的文本（${finish}）`,
      en: `${toModelName(model)} did not write the text for an MCP server (${finish})`,
    },
  });
}
