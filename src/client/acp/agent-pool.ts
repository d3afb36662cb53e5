import type { AcpSettings, ServerSettings } from "../../config/config.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import { reportNotice } from "../../core/tools/report-notice.ts";
import type { AgentUsage, ToolContext } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createSemaphore, type Semaphore } from "../../kit/async/semaphore.ts";
import { createTimeLimit, sleep, waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { createChildEnvironment, type Environment } from "../../kit/process/child-environment.ts";
import { createLifeline } from "../../kit/process/lifeline.ts";
import { createRandomHex } from "../../kit/random.ts";
import { createServersRedactor } from "../redact.ts";
import { type AgentFacts, slowStartError } from "./agent-errors.ts";
import { type AgentFiles, createFileRequests } from "./agent-files.ts";
import { type AgentProcess, startAgentProcess } from "./agent-process.ts";
import { type AgentTurn, createAgentTurn, type TurnBudget, type TurnEnd } from "./agent-turn.ts";
import { createAgentConsent } from "./consent.ts";
import { toHandedServers } from "./handed-servers.ts";
import type { KnownSession } from "./known-session.ts";
import { closeSessions, openSession } from "./open-session.ts";
import { toAmount } from "./read-update.ts";
import { setSessionMode } from "./session-mode.ts";
import { createTerminals } from "./terminals.ts";

/** Describes an agent that is another program. */
export interface OtherAgent {
  /** Is its name in the configuration. */
  name: string;
  settings: AcpSettings;
  /** Lists the MCP servers of the configuration that it is to be given. */
  servers?: readonly ServerSettings[];
  install?: Text | undefined;
  signIn?: Text | undefined;
}

export interface AgentQuestion {
  text: string;
  /** Is the session that it continues, by the agent's own name for it. */
  sessionId: string | undefined;
  budget: TurnBudget;
  /** Counts the agents above it, which a Duet that it starts has to know. */
  depth: number;
  /** Is told the session as soon as there is one, whatever becomes of the question. */
  onSession?(sessionId: string): void;
  /** Is told what it has used where it has no answer: as soon as it is left or fails, and again when the agent tells more. */
  onUsage?(usage: AgentUsage): void;
  context: Pick<ToolContext, "signal" | "locale" | "approve" | "progress" | "reportStep" | "writing" | "notice">;
}

export interface AgentAnswer {
  text: string;
  stop: "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | TurnEnd;
  /** Says that the wanted session could not be continued: the agent cannot, or does not know it any more. */
  lost?: "unable" | "unknown" | undefined;
  usage: AgentUsage;
}

/** Runs agents that are other programs: one process for each agent, working folder and depth, which starts with the first question. */
export interface AgentPool {
  /** Puts a question to an agent. Rejects with a `DuetError`, or with the signal's reason as soon as that aborts. */
  ask(agent: OtherAgent, question: AgentQuestion): Promise<AgentAnswer>;
  /** Ends every process; resolves when none is left. */
  close(limitMs?: number): Promise<void>;
}

export interface AgentPoolOptions {
  environment: Environment;
  /** Serves the files of these folders. */
  openFiles(roots: readonly string[]): Promise<AgentFiles>;
}

/** Limits how long an agent may take to end its work once it is told to, in milliseconds. After that its process ends. */
const cancelPatienceMs = 800;

/** Limits how often what people want instead is passed on within one question. */
const mostFollowUps = 5;

interface Place {
  process: AgentProcess | undefined;
  turns: Semaphore;
  environment: Environment;
}

export function createAgentPool({ environment, openFiles }: AgentPoolOptions): AgentPool {
  const places = new Map<string, Place>();
  const lifeline = createLifeline(environment.PATH);
  const processes = new Set<AgentProcess>();
  let isClosed = false;

  function findPlace({ name, settings }: OtherAgent, depth: number): Place {
    const key = JSON.stringify([name, settings.cwd, depth]);
    const known = places.get(key);
    if (known) return known;
    const place: Place = {
      process: undefined,
      turns: createSemaphore(settings.maxConcurrent),
      // A child is told one more than what is above us.
      environment: { ...environment, DUET_DEPTH: String(Math.max(0, depth - 1)) },
    };
    places.set(key, place);
    return place;
  }

  function openProcess(place: Place, { settings }: OtherAgent, facts: AgentFacts): AgentProcess {
    if (isClosed) throw closedError(facts.name);
    if (place.process?.isUsable) return place.process;
    const started = startAgentProcess({ settings, facts, environment: place.environment, lifeline });
    place.process = started;
    for (const each of processes) if (each.hasEnded) processes.delete(each);
    processes.add(started);
    return started;
  }

  async function answerQuestion(agent: OtherAgent, place: Place, question: AgentQuestion): Promise<AgentAnswer> {
    const { name, settings, servers = [], install, signIn } = agent;
    const { command } = settings.transport;
    const redactor = createServersRedactor([settings, ...servers], environment);
    const { redact } = redactor;
    const facts: AgentFacts = { name, command, cwd: settings.cwd, redact, install, signIn };
    const { context, sessionId = "" } = question;
    const last = place.process?.sessions.get(sessionId)?.work;
    // Who has left a question goes on in its session, and not beside it.
    if (last?.turn.signal.aborted) await waitAbortable(last.over, context.signal);
    const process = openProcess(place, agent, facts);
    const capabilities = await process.ready(context.signal);
    const handed = await toHandedServers(servers, { cwd: settings.cwd, environment, capabilities });
    const access = await openFiles(settings.roots);
    const { session, lost, isAside } = await openSession(process, facts, settings, {
      sessionId: question.sessionId,
      mcpServers: handed.servers,
      signal: context.signal,
    });
    if (handed.left.length > 0 && session.id !== question.sessionId) {
      reportNotice(context, noticeKinds.agentNotTold, { name, what: describeServers(handed.left) });
    }
    // Another question is being worked on in the wanted one, with which later ones go on.
    if (!isAside) question.onSession?.(session.id);
    const spent = { runId: createRandomHex(), tokens: 0 };
    const turn = createAgentTurn({ context, budget: question.budget, redactor, before: { ...session.told } });
    // Several agents tell only how full the window of the session is.
    const readUsage = (): AgentUsage => toUsage(turn, { ...spent, tokens: spent.tokens || turn.grown });
    const reportUsage = (): void => question.onUsage?.(readUsage());
    // Who leaves does so at once, and what is told after that comes too late for a bill.
    turn.signal.addEventListener("abort", reportUsage, { once: true });
    const { permissions, roots } = settings;
    const consent = createAgentConsent({ name, permissions, context, redact, signal: turn.signal });
    const tool = `agent_${name}`;
    const rule = `agents.${name}`;
    const { promise: over, resolve: free } = Promise.withResolvers<void>();
    session.work = {
      ...{ turn, over, consent, tool, rule, locale: context.locale },
      files: roots.length > 0 ? createFileRequests({ files: access, consent, tool, rule }) : undefined,
      terminals: settings.terminal
        ? createTerminals({
            ...{ findFolder: access.findFolder, cwd: settings.cwd, lifeline, consent, tool, rule },
            environment: createChildEnvironment(place.environment, settings.transport),
          })
        : undefined,
    };
    try {
      let stop: AgentAnswer["stop"] = await sendPrompt(process, { session, turn, text: question.text }, spent);
      for (let n = 0; n < mostFollowUps && stop !== "cancelled"; n++) {
        const instead = consent.takeInstead();
        if (instead.length === 0) break;
        if (spent.tokens >= question.budget.tokens) {
          stop = "tokens";
          break;
        }
        // The agent may have left its mode meanwhile.
        if (!(await holdMode(process, facts, { session, settings, turn }))) {
          stop = "cancelled";
          break;
        }
        stop = await sendPrompt(process, { session, turn, text: instead.join("\n\n") }, spent);
      }
      return {
        text: turn.text,
        stop: turn.end ?? stop,
        lost,
        usage: readUsage(),
      };
    } catch (thrown) {
      reportUsage();
      throw thrown;
    } finally {
      turn.signal.removeEventListener("abort", reportUsage);
      if (context.signal.aborted) reportUsage();
      await session.work?.terminals?.close();
      process.release(session);
      free();
      closeSessions(process, isAside ? session : undefined);
    }
  }

  return {
    async ask(agent, question) {
      const { signal } = question.context;
      const place = findPlace(agent, question.depth);
      await place.turns.acquire(signal);
      // Whoever leaves does not wait for the agent to end its work, and the next question does.
      const answer = answerQuestion(agent, place, question).finally(() => place.turns.release());
      return waitAbortable(answer, signal);
    },
    async close(limitMs) {
      isClosed = true;
      if (limitMs !== undefined) lifeline.endWithin(limitMs);
      await Promise.all([...processes].map((each) => each.stop()));
      lifeline.close();
    },
  };
}

interface Prompt {
  session: KnownSession;
  turn: AgentTurn;
  text: string;
}

/** Sets the mode of a session in which the agent has worked. Returns false where its work has been ended meanwhile. */
async function holdMode(
  process: AgentProcess,
  facts: AgentFacts,
  { session, settings, turn }: { session: KnownSession; settings: AcpSettings; turn: AgentTurn },
): Promise<boolean> {
  const { startTimeoutMs } = settings;
  const limit = createTimeLimit(startTimeoutMs, () => slowStartError(facts, startTimeoutMs), turn.signal);
  try {
    await setSessionMode(process, facts, session, settings, limit.signal);
    return true;
  } catch (thrown) {
    if (!turn.signal.aborted) throw thrown;
    return false;
  } finally {
    limit.clear();
  }
}

/** Makes the agent work. When the turn is to end, it is told so, and its process ends where it does not listen. */
async function sendPrompt(
  process: AgentProcess,
  { session, turn, text }: Prompt,
  spent: { tokens: number },
): Promise<AgentAnswer["stop"]> {
  const sent = process.request(
    "session/prompt",
    { sessionId: session.id, prompt: [{ type: "text", text }] },
    // The end of the turn is told to the agent, which may still say what it has used.
    new AbortController().signal,
  );
  void ignoreRejection(sent, "it is waited for below");
  try {
    const answer = await waitAbortable(sent, turn.signal);
    spent.tokens += readTokens(answer);
    return answer.stopReason;
  } catch (thrown) {
    if (!turn.signal.aborted) throw thrown;
    process.cancel(session.id);
    const over = new AbortController();
    const late = ignoreRejection(sleep(cancelPatienceMs, over.signal), "the race ends the wait");
    const answer = await Promise.race([ignoreRejection(sent, "the process has ended"), late]);
    over.abort();
    if (answer === undefined) process.retire();
    else spent.tokens += readTokens(answer);
    return "cancelled";
  }
}

/** Reads what the agent has used for the question, which the protocol does not name yet and several agents tell. */
function readTokens(answer: object): number {
  const { usage, _meta: meta }: { usage?: unknown; _meta?: unknown } = answer;
  if (isRecord(usage) && toAmount(usage.totalTokens) !== undefined) return toAmount(usage.totalTokens) ?? 0;
  // Gemini CLI and Codex tell it here, too.
  const quota = isRecord(meta) && isRecord(meta.quota) ? meta.quota.token_count : undefined;
  if (!isRecord(quota)) return 0;
  return (toAmount(quota.input_tokens) ?? 0) + (toAmount(quota.output_tokens) ?? 0);
}

function toUsage(turn: AgentTurn, { runId, tokens }: { runId: string; tokens: number }): AgentUsage {
  return {
    runId,
    runs: 1,
    tokens: Math.round(tokens),
    cost: turn.cost ?? 0,
    isCostKnown: turn.cost !== undefined,
    isOver: true,
  };
}

function describeServers(names: readonly string[]): Text {
  return { zh: `MCP 服务器 ${names.join("、")}`, en: `the MCP servers ${names.join(", ")}` };
}

function closedError(name: string): DuetError {
  return new DuetError({
    code: "internal",
    text: { zh: `智能体 ${name} 已经关闭`, en: `the agent ${name} is closed` },
  });
}
