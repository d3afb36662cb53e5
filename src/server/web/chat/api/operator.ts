import type * as z from "zod";
import type {
  operatorAgentsSchema,
  operatorApprovalsSchema,
  operatorLogSchema,
  operatorProblemsSchema,
  operatorPromptsSchema,
  operatorRunsSchema,
  operatorServersSchema,
  operatorSettingsSchema,
  operatorSpansSchema,
  operatorToolsSchema,
  operatorUsageSchema,
} from "../../../../core/schemas/operator-schema.ts";
import {
  operatorAgentsShape,
  operatorApprovalsShape,
  operatorLogShape,
  operatorProblemsShape,
  operatorPromptsShape,
  operatorRunsShape,
  operatorServersShape,
  operatorSettingsShape,
  operatorSpansShape,
  operatorToolsShape,
  operatorUsageShape,
} from "../../run/known-shapes.ts";
import { hasShape } from "../../run/shape.ts";
import type { AgentRequests } from "./agent-requests.ts";
import type { CallAgent } from "./call-agent.ts";

export type OperatorRuns = z.infer<typeof operatorRunsSchema>;
export type OperatorSpans = z.infer<typeof operatorSpansSchema>;
export type OperatorUsage = z.infer<typeof operatorUsageSchema>;
export type OperatorProblems = z.infer<typeof operatorProblemsSchema>;
export type OperatorServers = z.infer<typeof operatorServersSchema>;
export type OperatorSettings = z.infer<typeof operatorSettingsSchema>;
export type OperatorAgents = z.infer<typeof operatorAgentsSchema>;
export type OperatorApprovals = z.infer<typeof operatorApprovalsSchema>;
export type OperatorLog = z.infer<typeof operatorLogSchema>;
export type OperatorPrompts = z.infer<typeof operatorPromptsSchema>;
export type OperatorTools = z.infer<typeof operatorToolsSchema>;

/** Wraps what the operator alone may see and change. Every call rejects with `ApiError` for others. */
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
    runs: async () => check(await readJson(call("GET /operator/runs")), isRuns),
    async spans(runId) {
      return check(await readJson(call("GET /operator/runs/{id}/spans", { path: { id: runId } })), isSpans);
    },
    async usage(days, offset) {
      return check(await readJson(call("GET /operator/usage", { query: { days, offset } })), isUsage);
    },
    problems: async () => check(await readJson(call("GET /operator/problems")), isProblems),
    servers: async () => check(await readJson(call("GET /operator/servers")), isServers),
    settings: async () => check(await readJson(call("GET /operator/settings")), isSettings),
    async changeSetting(key, value) {
      const body = value === undefined ? { unset: [key] } : { set: { [key]: value } };
      return check(await readJson(call("PATCH /operator/settings", { body })), isSettings);
    },
    async serverLog(name) {
      return check(await readJson(call("GET /operator/servers/{name}/log", { path: { name } })), isLog);
    },
    async restart(name) {
      return check(await readJson(call("POST /operator/servers/{name}/restart", { path: { name } })), isServers);
    },
    async signIn(name, endedAt) {
      const body = endedAt === undefined ? {} : { ended_at: endedAt };
      return check(await readJson(call("POST /operator/servers/{name}/sign-in", { path: { name }, body })), isServers);
    },
    async signOut(name) {
      return check(await readJson(call("DELETE /operator/servers/{name}/sign-in", { path: { name } })), isServers);
    },
    approvals: async () => check(await readJson(call("GET /operator/approvals")), isApprovals),
    async approve(ids) {
      return check(await readJson(call("POST /operator/approvals", { body: { ids } })), isApprovals);
    },
    tools: async () => check(await readJson(call("GET /operator/tools")), isTools),
    async setPermission(name, permission) {
      return check(await readJson(call("PATCH /operator/tools", { body: { name, permission } })), isTools);
    },
    prompts: async () => check(await readJson(call("GET /operator/prompts")), isPrompts),
    changePrompt: async (body) => check(await readJson(call("PATCH /operator/prompts", { body })), isPrompts),
    agents: async () => check(await readJson(call("GET /operator/agents")), isAgents),
  };
}

async function readJson(response: Promise<Response>): Promise<unknown> {
  return (await response).json();
}

function check<T>(value: unknown, isRight: (value: unknown) => value is T): T {
  if (!isRight(value)) throw new Error("the server answered with something else");
  return value;
}

function isRuns(value: unknown): value is OperatorRuns {
  return hasShape(operatorRunsShape, value);
}

function isSpans(value: unknown): value is OperatorSpans {
  return hasShape(operatorSpansShape, value);
}

function isUsage(value: unknown): value is OperatorUsage {
  return hasShape(operatorUsageShape, value);
}

function isProblems(value: unknown): value is OperatorProblems {
  return hasShape(operatorProblemsShape, value);
}

function isServers(value: unknown): value is OperatorServers {
  return hasShape(operatorServersShape, value);
}

function isSettings(value: unknown): value is OperatorSettings {
  return hasShape(operatorSettingsShape, value);
}

function isAgents(value: unknown): value is OperatorAgents {
  return hasShape(operatorAgentsShape, value);
}

function isApprovals(value: unknown): value is OperatorApprovals {
  return hasShape(operatorApprovalsShape, value);
}

function isLog(value: unknown): value is OperatorLog {
  return hasShape(operatorLogShape, value);
}

function isPrompts(value: unknown): value is OperatorPrompts {
  return hasShape(operatorPromptsShape, value);
}

function isTools(value: unknown): value is OperatorTools {
  return hasShape(operatorToolsShape, value);
}
