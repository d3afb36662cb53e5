import type { OperatorAnswers } from "../../../../core/schemas/operator-schema.ts";
import { operatorShapes } from "../../run/known-shapes.ts";
import { hasShape } from "../../run/shape.ts";
import type { AgentRequests } from "./agent-requests.ts";
import type { CallAgent } from "./call-agent.ts";
import { readShape } from "./read-answer.ts";

export type OperatorRuns = OperatorAnswers["OperatorRuns"];
export type OperatorSpans = OperatorAnswers["OperatorSpans"];
export type OperatorUsage = OperatorAnswers["OperatorUsage"];
export type OperatorProblems = OperatorAnswers["OperatorProblems"];
export type OperatorServers = OperatorAnswers["OperatorServers"];
export type OperatorSettings = OperatorAnswers["OperatorSettings"];
export type OperatorAgents = OperatorAnswers["OperatorAgents"];
export type OperatorApprovals = OperatorAnswers["OperatorApprovals"];
export type OperatorLog = OperatorAnswers["OperatorLog"];
export type OperatorPrompts = OperatorAnswers["OperatorPrompts"];
export type OperatorTools = OperatorAnswers["OperatorTools"];

/** Wraps what the operator alone may see and change. Every call rejects with `ApiError` for others, and as those of `Api` do. */
export interface OperatorApi {
  runs(): Promise<OperatorRuns>;
  /** Returns when the turns and calls of a run that has ended began, and how long they took. */
  spans(runId: string): Promise<OperatorSpans>;
  /** Returns what was used in the last days: the sums, and one page of the entries. */
  usage(days: number, offset: number): Promise<OperatorUsage>;
  problems(): Promise<OperatorProblems>;
  servers(): Promise<OperatorServers>;
  settings(): Promise<OperatorSettings>;
  /** Changes the file; a value of undefined is taken out of it. */
  changeSetting(key: string, value: unknown): Promise<OperatorSettings>;
  serverLog(name: string): Promise<OperatorLog>;
  /** Connects to a server anew. */
  restart(name: string): Promise<OperatorServers>;
  /** Begins to sign in to a server, or brings the address at which the browser stopped. */
  signIn(name: string, endedAt?: string): Promise<OperatorServers>;
  signOut(name: string): Promise<OperatorServers>;
  approvals(): Promise<OperatorApprovals>;
  /** Approves what was shown under these ids. */
  approve(ids: readonly string[]): Promise<OperatorApprovals>;
  tools(): Promise<OperatorTools>;
  setPermission(name: string, permission: "allow" | "ask" | "deny"): Promise<OperatorTools>;
  prompts(): Promise<OperatorPrompts>;
  /** Writes a prompt for one language; a text of null removes its file. */
  changePrompt(change: AgentRequests["PATCH /operator/prompts"]["body"]): Promise<OperatorPrompts>;
  agents(): Promise<OperatorAgents>;
}

export function createOperatorApi(call: CallAgent): OperatorApi {
  return {
    runs: () => read("OperatorRuns", call("GET /operator/runs")),
    spans(runId) {
      return read("OperatorSpans", call("GET /operator/runs/{id}/spans", { path: { id: runId } }));
    },
    usage(days, offset) {
      return read("OperatorUsage", call("GET /operator/usage", { query: { days, offset } }));
    },
    problems: () => read("OperatorProblems", call("GET /operator/problems")),
    servers: () => read("OperatorServers", call("GET /operator/servers")),
    settings: () => read("OperatorSettings", call("GET /operator/settings")),
    changeSetting(key, value) {
      const body = value === undefined ? { unset: [key] } : { set: { [key]: value } };
      return read("OperatorSettings", call("PATCH /operator/settings", { body }));
    },
    serverLog(name) {
      return read("OperatorLog", call("GET /operator/servers/{name}/log", { path: { name } }));
    },
    restart(name) {
      return read("OperatorServers", call("POST /operator/servers/{name}/restart", { path: { name } }));
    },
    signIn(name, endedAt) {
      const body = endedAt === undefined ? {} : { ended_at: endedAt };
      return read("OperatorServers", call("POST /operator/servers/{name}/sign-in", { path: { name }, body }));
    },
    signOut(name) {
      return read("OperatorServers", call("DELETE /operator/servers/{name}/sign-in", { path: { name } }));
    },
    approvals: () => read("OperatorApprovals", call("GET /operator/approvals")),
    approve(ids) {
      return read("OperatorApprovals", call("POST /operator/approvals", { body: { ids } }));
    },
    tools: () => read("OperatorTools", call("GET /operator/tools")),
    setPermission(name, permission) {
      return read("OperatorTools", call("PATCH /operator/tools", { body: { name, permission } }));
    },
    prompts: () => read("OperatorPrompts", call("GET /operator/prompts")),
    changePrompt: (body) => read("OperatorPrompts", call("PATCH /operator/prompts", { body })),
    agents: () => read("OperatorAgents", call("GET /operator/agents")),
  };
}

function read<Name extends keyof OperatorAnswers>(
  name: Name,
  response: Promise<Response>,
): Promise<OperatorAnswers[Name]> {
  return readShape(response, (value) => isAnswer(name, value));
}

function isAnswer<Name extends keyof OperatorAnswers>(name: Name, value: unknown): value is OperatorAnswers[Name] {
  return hasShape(operatorShapes[name], value);
}
