import { chooseStartMode, type StartConfig } from "../../app/models/start-mode.ts";
import type { Config } from "../../config/config.ts";
import type { ModelParameters } from "../../config/models/resolve-model.ts";
import { attachmentKinds, longestAttachedFile, longestAttachments, mostAttachments } from "../../core/attachment.ts";
import type { Caller } from "../../core/caller.ts";
import { type ConfiguredLimits, mapLimits, offeredLimits } from "../../core/limits/limits.ts";
import { isOffline, type Model, toModelName } from "../../core/model/model.ts";
import { modeSchema } from "../../core/schemas/outcome-schema.ts";
import type { SettingsJson } from "../../core/schemas/settings-schema.ts";
import { isNamePermitted } from "../../core/tools/tool-pattern.ts";
import { createWaitLimit } from "../../kit/async/timeout.ts";
import { version } from "../../kit/version.ts";
import type { RunService } from "../../runs/run-service.ts";
import { toFileBodyLimit } from "../http/request/read-body.ts";
import type { Route } from "../http/routes.ts";
import { isOperatorViewOpen } from "../operator/check-operator.ts";
import { undoMs } from "./conversations/conversation-routes.ts";
import { toJsonResponse } from "./json-response.ts";

/** Holds the parts of the configuration that callers may see. */
export interface ExposedConfig extends StartConfig {
  agent: StartConfig["agent"] & ConfiguredLimits & Pick<Config["agent"], "keepHistory">;
  search: Pick<Config["search"], "enabled">;
  conversations: Pick<Config["conversations"], "titles">;
}

/**
 * Returns the defaults of a question and the choices it has. Models that are not known within `patienceMs` milliseconds are left
 * out, because their endpoints may hang.
 */
export function createSettingsRoute(service: RunService, config: ExposedConfig, patienceMs = 1500): Route {
  return {
    async GET(call) {
      const [told, reason] = await Promise.all([
        readSettings(service, config, patienceMs),
        searchReason(service.duet, call.caller),
      ]);
      const available = reason === null;
      const search = { available, enabled: available && config.search.enabled === true, reason };
      const operator = isOperatorViewOpen(service.settings.http, call);
      return toJsonResponse({ ...told, search, operator } satisfies SettingsJson);
    },
  };
}

async function readSettings(
  { duet, settings, mode = "agent" }: RunService,
  config: ExposedConfig,
  patienceMs: number,
): Promise<Omit<SettingsJson, "search" | "operator">> {
  const { agent } = config;
  const [models, parameters, start] = await Promise.all([
    duet.models.open(),
    duet.models.getParameters(),
    chooseStartMode(config, duet.models),
  ]);
  const inForce = { function_call: toShownName(models.functionCall), answer: toShownName(models.answer) };
  return {
    version,
    locale: duet.locale,
    modes: [...modeSchema.options],
    mode,
    start_mode: start,
    models: inForce,
    choices: await listChoices(duet, [inForce.function_call, inForce.answer], patienceMs),
    agents: duet.agents.map(({ name, description }) => ({ name, description })),
    parameters: {
      function_call: toParametersJson(parameters.functionCall),
      answer: toParametersJson(parameters.answer),
    },
    keep_history: agent.keepHistory,
    titles: config.conversations.titles,
    undo_s: undoMs / 1000,
    attachments: describeAttachments(settings.http.maxBody),
    limits: mapLimits(
      offeredLimits,
      ({ ask }) => ask,
      ({ key }) => agent[key],
    ),
  };
}

/** Returns what may come with a question, so that nobody uploads what is refused then. */
function describeAttachments(maxBody: number): SettingsJson["attachments"] {
  const longestBody = toFileBodyLimit(maxBody);
  // Base64 takes four bytes for three, and the rest of the question a little.
  const longestFiles = Math.floor(((longestBody - 65_536) * 3) / 4);
  return {
    max_files: mostAttachments,
    max_file_bytes: Math.min(longestAttachedFile, longestFiles),
    max_bytes: Math.min(longestAttachments, longestFiles),
    max_body_bytes: longestBody,
    kinds: attachmentKinds.map(({ kind, mediaTypes, extensions }) => {
      return { kind, media_types: [...mediaTypes], extensions: [...extensions] };
    }),
  };
}

/** Returns the name that `modelNames` uses. The offline rules are not a model that can be chosen among others. */
function toShownName(model: Model): string {
  return isOffline(model) ? model.provider : toModelName(model);
}

/** Lists the models in force first, and only those when an endpoint does not answer in time. */
async function listChoices(
  duet: RunService["duet"],
  inForce: readonly string[],
  patienceMs: number,
): Promise<string[]> {
  const limit = createWaitLimit(patienceMs);
  try {
    return [...new Set([...inForce, ...(await duet.models.listNames(limit.signal))])];
  } catch {
    return [...new Set(inForce)];
  } finally {
    limit.clear();
  }
}

/** Returns why the caller has no web search, or null when there is one. */
async function searchReason(
  duet: RunService["duet"],
  { tools: permitted }: Caller,
): Promise<SettingsJson["search"]["reason"]> {
  const { tools } = await duet.inventory(undefined, 0);
  const search = tools.find(({ name }) => name === "web_search");
  if (search !== undefined)
    return permitted === undefined || isNamePermitted(permitted, search) ? null : "not_permitted";
  const inUse = await duet.searchInUse();
  if (inUse === null) return "off";
  return inUse.chain.length === 0 ? "no_service" : "not_permitted";
}

function toParametersJson({ temperature, topP, maxTokens }: ModelParameters) {
  return { temperature, top_p: topP, max_tokens: maxTokens };
}
