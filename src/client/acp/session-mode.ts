import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { AcpSettings } from "../../config/config.ts";
import { type AgentFacts, unknownModeError } from "./agent-errors.ts";
import type { AgentProcess } from "./agent-process.ts";

/** Holds what an agent tells of a session that it has opened. */
export interface OpenedSession {
  sessionId: string;
  modes?: SessionModeState | null | undefined;
  configOptions?: SessionConfigOption[] | null | undefined;
}

/**
 * Sets the session to the configured mode. Without one, a session in which nobody would be asked is set to one in which a person is.
 * Throws a `config` error that lists the agent's modes where it has no such mode.
 */
export async function setSessionMode(
  process: AgentProcess,
  facts: AgentFacts,
  opened: OpenedSession,
  { mode, asking }: Pick<AcpSettings, "mode" | "asking">,
  signal: AbortSignal,
): Promise<void> {
  const { sessionId } = opened;
  const { current, available, option } = readModes(opened);
  const wanted = mode ?? (current !== undefined && asking?.insteadOf.includes(current) ? asking.mode : undefined);
  if (wanted === undefined || wanted === current) return;
  if (!available.includes(wanted)) {
    // Another version of a known agent has other modes.
    if (mode === undefined) return;
    throw unknownModeError(facts, wanted, available);
  }
  if (option === undefined) await process.request("session/set_mode", { sessionId, modeId: wanted }, signal);
  else await process.request("session/set_config_option", { sessionId, configId: option, value: wanted }, signal);
}

/** Reads the modes of a session, which agents tell in one of two ways. */
function readModes({ modes, configOptions }: OpenedSession): {
  current: string | undefined;
  available: readonly string[];
  option?: string;
} {
  if (modes) return { current: modes.currentModeId, available: modes.availableModes.map(({ id }) => id) };
  const option = configOptions?.find(({ type, category }) => type === "select" && category === "mode");
  if (option?.type !== "select") return { current: undefined, available: [] };
  const available = option.options.flatMap((each) =>
    "value" in each ? [each.value] : each.options.map(({ value }) => value),
  );
  return { current: option.currentValue, available, option: option.id };
}
