import type { McpServer } from "@agentclientprotocol/sdk";
import type { AcpSettings } from "../../config/config.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { type AgentFacts, slowStartError } from "./agent-errors.ts";
import type { AgentProcess } from "./agent-process.ts";
import type { KnownSession } from "./known-session.ts";
import { readModes, setSessionMode } from "./session-mode.ts";
import { setSessionModel } from "./session-model.ts";

/** Limits the sessions that one process keeps open while nobody uses them. The agent has the others on its disk. */
const mostSessions = 50;

/** Has the agent close a session that nobody comes back to, and the oldest of too many, where it can take them up again. */
export function closeSessions(process: AgentProcess, left: Pick<KnownSession, "id"> | undefined): void {
  const { sessionCapabilities, loadSession } = process.capabilities ?? {};
  if (!sessionCapabilities?.close || !process.isUsable) return;
  const idle = [...process.sessions.values()].filter(({ isTaken }) => !isTaken);
  const canReturn = Boolean(sessionCapabilities.resume) || loadSession === true;
  const tooMany = canReturn ? idle.slice(0, Math.max(0, process.sessions.size - mostSessions)) : [];
  for (const { id } of new Set(left ? [left, ...tooMany] : tooMany)) {
    process.sessions.delete(id);
    const closed = process.request("session/close", { sessionId: id }, AbortSignal.timeout(closePatienceMs));
    void ignoreRejection(closed, "a session that is not closed ends with the process");
  }
}

/** Limits the wait for a session to be closed, in milliseconds. */
const closePatienceMs = 10_000;

/** Is a session in which a question can be asked. */
export interface FreeSession {
  session: KnownSession;
  /** Says that the wanted session could not be continued: the agent cannot, or does not know it any more. */
  lost?: "unable" | "unknown" | undefined;
  /** Is true for a session beside the wanted one, in which another question is being worked on. */
  isAside?: boolean;
}

/**
 * Returns the wanted session where it is free, or can be taken up again, and else a new one. Each is in the mode that is configured, also
 * one that is taken up again.
 */
export async function openSession(
  process: AgentProcess,
  facts: AgentFacts,
  settings: AcpSettings,
  { sessionId, mcpServers, signal }: Pick<OpenRequest, "mcpServers" | "signal"> & { sessionId: string | undefined },
): Promise<FreeSession> {
  const limit = createTimeLimit(settings.startTimeoutMs, () => slowStartError(facts, settings.startTimeoutMs), signal);
  const opening: OpenRequest = { process, facts, settings, mcpServers, signal: limit.signal };
  try {
    const known = sessionId === undefined ? undefined : process.sessions.get(sessionId);
    if (sessionId === undefined || known?.isTaken) {
      return { session: await beginSession(opening), isAside: known !== undefined };
    }
    // Another question may have left it in another mode.
    if (known !== undefined) return { session: await holdMode(opening, takeSession(process, known.id)) };
    const lost = await resumeSession(opening, sessionId);
    if (typeof lost !== "string") return { session: lost };
    return { session: await beginSession(opening), lost };
  } finally {
    limit.clear();
  }
}

interface OpenRequest {
  process: AgentProcess;
  facts: AgentFacts;
  settings: AcpSettings;
  mcpServers: McpServer[];
  signal: AbortSignal;
}

/** Takes a session, so that no other question gets it meanwhile. The one that was used last is the last to be closed. */
function takeSession({ sessions }: AgentProcess, id: string): KnownSession {
  const session = sessions.get(id) ?? { id, isTaken: true, work: undefined, told: {} };
  session.isTaken = true;
  sessions.delete(id);
  sessions.set(id, session);
  return session;
}

async function beginSession(opening: OpenRequest): Promise<KnownSession> {
  const { process, facts, settings, mcpServers, signal } = opening;
  const asked = process.request("session/new", { cwd: settings.cwd, mcpServers }, new AbortController().signal);
  const opened = await waitAbortable(asked, signal).catch((thrown: unknown) => {
    // Nobody comes back to a session that is told when its asker has left.
    const late = asked.then(({ sessionId }) => closeSessions(process, { id: sessionId }));
    void ignoreRejection(late, "who has left needs no session");
    throw thrown;
  });
  const session = takeSession(process, opened.sessionId);
  session.modes = readModes(opened) ?? session.modes;
  session.told = { used: 0, cost: 0, ...session.told };
  try {
    await setSessionModel(process, facts, { session, opened }, settings, signal);
    return await holdMode(opening, session);
  } catch (thrown) {
    process.sessions.delete(session.id);
    closeSessions(process, session);
    throw thrown;
  }
}

/** Sets the mode of a session that is taken, and leaves the session to others where that fails. */
async function holdMode(
  { process, facts, settings, signal }: OpenRequest,
  session: KnownSession,
): Promise<KnownSession> {
  try {
    await setSessionMode(process, facts, session, settings, signal);
    return session;
  } catch (thrown) {
    process.release(session);
    throw thrown;
  }
}

/** Takes up a session of another process of the agent, or says why it cannot be. */
async function resumeSession(
  { process, facts, settings, mcpServers, signal }: OpenRequest,
  sessionId: string,
): Promise<KnownSession | "unable" | "unknown"> {
  const { loadSession, sessionCapabilities } = await process.ready(signal);
  const method = sessionCapabilities?.resume ? "session/resume" : loadSession ? "session/load" : undefined;
  if (method === undefined) return "unable";
  // What a session has used before is told while it is taken up.
  const session = takeSession(process, sessionId);
  try {
    const taken = await process.request(method, { sessionId, cwd: settings.cwd, mcpServers }, signal);
    session.modes = readModes(taken) ?? session.modes;
    await setSessionModel(process, facts, { session, opened: taken }, settings, signal);
    await setSessionMode(process, facts, session, settings, signal);
    return session;
  } catch (thrown) {
    process.sessions.delete(sessionId);
    const isRefused = !signal.aborted && process.isUsable && !isConfigError(thrown);
    if (isRefused) return "unknown";
    throw thrown;
  }
}

/** Is true for a mode or a model that the agent does not have. */
function isConfigError(thrown: unknown): boolean {
  return thrown instanceof DuetError && thrown.code === "config";
}
