import {
  type CallToolResult,
  type InputRequests,
  inputResponse,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { isRecord } from "../../../kit/json.ts";
import { say } from "../../../kit/locale.ts";
import { findReplyProblem } from "../../../render/questions/elicitation-wording.ts";
import { addEarlier } from "../../../runs/continued-runs.ts";
import { type Host, readHost } from "../../../runs/input/host.ts";
import { readReply, toInputRequest } from "../../../runs/input/host-question.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { addPlanToken } from "../../../runs/outcomes/outcome-for.ts";
import { applyHostReply, canAsk, toHostQuestion } from "../../../runs/questions/ask-question.ts";
import type { OpenQuestion } from "../../../runs/questions/open-question.ts";
import { toAskResult } from "./ask-result.ts";
import { type ConnectionScope, chooseResultOptions } from "./serve-run.ts";

/** Names the tasks extension (SEP-2663, revision 2026-07-28). */
const extension = "io.modelcontextprotocol/tasks";

/** Is how often hosts are asked to poll, in milliseconds. */
const pollMs = 1000;

/** Represents a run as a task with the run's id. */
interface Task {
  taskId: string;
  status: "working" | "input_required" | "completed" | "cancelled";
  /** Holds ISO 8601, UTC. */
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number;
  pollIntervalMs: number;
}

export function canUseTasks({ isModern, capabilities }: Host): boolean {
  return isModern && isRecord(capabilities.extensions) && isRecord(capabilities.extensions[extension]);
}

/** Returns a task instead of a result; it says where the result will be found. */
export function toTask(run: RunHandle, { settings, knownRuns }: ConnectionScope): CallToolResult {
  knownRuns.add(run.id);
  // Whoever has a task ends it by its own means.
  run.addWaiter(run);
  const result: CallToolResult = { content: [], ...toTaskStatus(run, settings) };
  return Object.assign(result, { resultType: "task" });
}

const params = z.object({ taskId: z.string().max(200) });
const anything = z.looseObject({});

/** Lets a host that was given a task ask for it, answer its questions and cancel it. */
export function serveTasks({ server }: McpServer, scope: ConnectionScope): void {
  const { runs, followed, connection, settings } = scope;
  server.registerCapabilities({ extensions: { [extension]: {} } });

  async function findTaskRun(taskId: string, context: ServerContext): Promise<{ run: RunHandle; host: Host }> {
    const host = readHost(connection.server, context);
    if (!canUseTasks(host))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [extension]: {} } } });
    const { caller } = connection;
    const run = runs.find(taskId, caller) ?? (await followed.find(taskId, caller));
    if (run === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${taskId}`);
    return { run, host };
  }

  server.setRequestHandler("tasks/get", { params, result: anything }, async ({ taskId }, context) => {
    const { run, host } = await findTaskRun(taskId, context);
    const task = toTaskStatus(run, settings);
    const open = toAskableQuestion(run, host);
    const asked: InputRequests | undefined = open && { [toQuestionName(open.open)]: toInputRequest(open.words, host) };
    if (asked) return { resultType: "complete", ...task, status: "input_required", inputRequests: asked };
    if (task.status !== "completed" || run.outcome === undefined) return { resultType: "complete", ...task };
    const outcome = await addEarlier(scope, run, await addPlanToken(scope, run.outcome));
    run.isDelivered = true;
    const options = { ...chooseResultOptions(scope, { host }), locale: run.locale };
    return { resultType: "complete", ...task, result: { resultType: "complete", ...toAskResult(outcome, options) } };
  });

  server.setRequestHandler("tasks/update", { params, result: anything }, async ({ taskId }, context) => {
    const { open, locale } = (await findTaskRun(taskId, context)).run;
    const { inputResponses } = context.mcpReq;
    if (open && Object.hasOwn(inputResponses ?? {}, toQuestionName(open))) {
      const reply = readReply(inputResponse(inputResponses, toQuestionName(open)));
      const problem = reply && findReplyProblem(open.question, reply);
      // The next `tasks/get` shows the question again.
      if (problem) throw new ProtocolError(ProtocolErrorCode.InvalidParams, say(locale, problem));
      await applyHostReply(open, reply);
    }
    return { resultType: "complete" };
  });

  server.setRequestHandler("tasks/cancel", { params, result: anything }, async ({ taskId }, context) => {
    (await findTaskRun(taskId, context)).run.cancel();
    return { resultType: "complete" };
  });
}

function toTaskStatus(run: RunHandle, { keepResults }: ConnectionScope["settings"]): Task {
  const status = run.outcome === undefined ? "working" : run.outcome.status === "cancelled" ? "cancelled" : "completed";
  return {
    taskId: run.id,
    status,
    createdAt: new Date(run.startedAt).toISOString(),
    lastUpdatedAt: new Date(run.changedAt).toISOString(),
    ttlMs: keepResults * 1000,
    pollIntervalMs: pollMs,
  };
}

/** Returns the question that this host can show its user. A question that neither this host nor another one shows is given up. */
function toAskableQuestion({ open, locale }: RunHandle, host: Host) {
  if (open === undefined) return undefined;
  const words = canAsk(host, open) ? toHostQuestion(open.question, locale) : undefined;
  if (words === undefined && !open.isAsked) void open.withdraw();
  return words && { open, words };
}

function toQuestionName({ id }: OpenQuestion): string {
  return `question-${id}`;
}
