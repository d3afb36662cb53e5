import type { AcpSettings } from "../../config/config.ts";
import { isRecord } from "../../kit/json.ts";
import { type AgentFacts, unknownModelError } from "./agent-errors.ts";
import type { AgentProcess } from "./agent-process.ts";
import type { KnownSession } from "./known-session.ts";
import { readOption, type SessionChoice } from "./read-update.ts";
import { readModes } from "./session-mode.ts";

/**
 * Sets a session that the agent has just opened, or taken up again, to the configured model; without one it keeps the agent's own. Comes
 * before its mode is set, which the choice of a model may change. Throws a `config` error that lists the agent's models where it has no such one.
 */
export async function setSessionModel(
  process: AgentProcess,
  facts: AgentFacts,
  { session, opened }: { session: KnownSession; opened: object },
  { model }: Pick<AcpSettings, "model">,
  signal: AbortSignal,
): Promise<void> {
  if (model === undefined) return;
  const { current, available = [], option } = readModels(opened) ?? {};
  if (model === current) return;
  if (!available.includes(model)) throw unknownModelError(facts, model, available);
  const { id: sessionId } = session;
  if (option === undefined) {
    await process.requestByName("session/set_model", { sessionId, modelId: model }, signal);
    return;
  }
  const asked = { sessionId, configId: option, value: model };
  const { configOptions } = await process.request("session/set_config_option", asked, signal);
  session.modes = readModes({ configOptions }) ?? session.modes;
}

/** Reads the models of a session. Gemini CLI tells them in a form that is no longer part of the protocol. */
function readModels(opened: object): SessionChoice | undefined {
  const { configOptions, models }: { configOptions?: unknown; models?: unknown } = opened;
  const option = readOption(configOptions, "model");
  if (option !== undefined || !isRecord(models)) return option;
  const { currentModelId: current, availableModels: listed } = models;
  const all = Array.isArray(listed) ? listed.filter(isRecord) : [];
  return {
    current: typeof current === "string" ? current : undefined,
    available: all.flatMap(({ modelId }) => (typeof modelId === "string" ? [modelId] : [])),
  };
}
