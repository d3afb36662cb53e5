import type * as z from "zod";
import type {
  operatorProblemsSchema,
  operatorRunsSchema,
  operatorServersSchema,
  operatorSettingsSchema,
  operatorSpansSchema,
  operatorUsageSchema,
} from "../../../../core/schemas/operator-schema.ts";
import {
  operatorProblemsShape,
  operatorRunsShape,
  operatorServersShape,
  operatorSettingsShape,
  operatorSpansShape,
  operatorUsageShape,
} from "../../run/known-shapes.ts";
import { hasShape } from "../../run/shape.ts";
import type { CallAgent } from "./call-agent.ts";

export type OperatorRuns = z.infer<typeof operatorRunsSchema>;
export type OperatorSpans = z.infer<typeof operatorSpansSchema>;
export type OperatorUsage = z.infer<typeof operatorUsageSchema>;
export type OperatorProblems = z.infer<typeof operatorProblemsSchema>;
export type OperatorServers = z.infer<typeof operatorServersSchema>;
export type OperatorSettings = z.infer<typeof operatorSettingsSchema>;

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
