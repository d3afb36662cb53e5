import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { AcpSettings } from "../../config/config.ts";
import { type AgentFacts, unknownModeError } from "./agent-errors.ts";
import type { AgentProcess } from "./agent-process.ts";
import type { KnownSession } from "./known-session.ts";
import { readOption, type SessionChoice } from "./read-update.ts";

/** Holds what an agent tells of a session that it has opened. */
interface OpenedSession {
  modes?: SessionModeState | null | undefined;
  configOptions?: SessionConfigOption[] | null | undefined;
}

/** Reads the modes of a session, which agents tell in one of two ways. */
export function readModes({ modes, configOptions }: OpenedSession): SessionChoice | undefined {
  if (modes) return { current: modes.currentModeId, available: modes.availableModes.map(({ id }) => id) };
  return readOption(configOptions, "mode");
}

/**
 * Sets the session to the configured mode. Without one, a session in which nobody would be asked is set to one in which a person is. An
 * agent may have left the mode since the last question, so that it is set again, whatever it has told.
 * Throws a `config` error that lists the agent's modes where it has no such mode: other versions of a known agent have others, and in
 * which of them a person is asked is not known.
 */
export async function setSessionMode(
  process: AgentProcess,
  facts: AgentFacts,
  session: KnownSession,
  { mode, asking }: Pick<AcpSettings, "mode" | "asking">,
  signal: AbortSignal,
): Promise<void> {
  const { id: sessionId, modes = {}, heldMode } = session;
  const { current, available, option } = modes;
  const isKnown = !asking?.isRequired || available === undefined || available.includes(asking.mode);
  const isUnasked = current !== undefined && asking?.insteadOf.includes(current);
  const wanted = mode ?? (isUnasked || !isKnown ? asking?.mode : heldMode);
  if (wanted === undefined) return;
  session.heldMode = wanted;
  // As it begins, a session is in the mode that it tells.
  if (wanted === current && heldMode === undefined) return;
  if (!available?.includes(wanted)) throw unknownModeError(facts, wanted, available ?? []);
  if (option === undefined) await process.request("session/set_mode", { sessionId, modeId: wanted }, signal);
  else await process.request("session/set_config_option", { sessionId, configId: option, value: wanted }, signal);
  session.modes = { ...session.modes, current: wanted };
}
