import { onTestFinished } from "vitest";
import type { DuetOverrides } from "../../src/app/ask/ask-request.ts";
import { openDuet } from "../../src/app/open-duet.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { waitAbortable } from "../../src/kit/async/timeout.ts";
import { type DuetHttpOptions, serveDuetOverHttp } from "../../src/server/http/serve-duet.ts";
import type { LogFields } from "../../src/server/operations/log.ts";
import { createRunLog } from "../../src/server/operations/log-runs.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "./model.ts";

export interface HttpDuet {
  /** Without a path: `http://127.0.0.1:PORT`. */
  origin: string;
  port: number;
  model: ScriptedModel;
  config: Config;
  /** What the operator was told. */
  lines: string[];
  /** The fields of the lines about runs, where these are logged. */
  logged: LogFields[];
  /** Ends it, as a signal to the process does. */
  close(): Promise<void>;
}

export interface HttpDuetSettings {
  turns?: ScriptedTurn[];
  tools?: DuetOverrides["tools"];
  /** Further keys of the configuration file. */
  settings?: Record<string, unknown>;
  environment?: Record<string, string>;
  /** The model says nothing before this resolves. */
  gate?: Promise<void>;
  /** In place of the two scripted models. */
  models?: DuetOverrides["models"];
  /** Seconds that runs have to finish when it is closed; none when absent. */
  grace?: number;
  /** Aborts at the second signal. */
  hurry?: AbortSignal;
  /** Logs each run, as `serve.log` "json" does. */
  logsRuns?: boolean;
  /** As `--expose` and `--list-limit`. */
  exposing?: Pick<DuetHttpOptions, "expose" | "listLimit">;
}

/** All that `duet serve --http` serves, in this process, on a real socket; ended with the test. */
export async function startHttpDuet(options: HttpDuetSettings = {}): Promise<HttpDuet> {
  const duet = await openHttpDuet(options);
  onTestFinished(duet.close);
  return duet;
}

/** The same for several tests; whoever opens it ends it. */
export async function openHttpDuet(options: HttpDuetSettings): Promise<HttpDuet> {
  const { turns = [], tools = [], settings = {}, environment = {}, gate, models } = options;
  const model = scriptedModel(turns);
  const gated: ScriptedModel = {
    ...model,
    async stream(request, onEvent, signal) {
      if (gate) await waitAbortable(gate, signal);
      return model.stream(request, onEvent, signal);
    },
  };
  const all = { conversations: { store: "memory" }, locale: "en", ...settings };
  const loaded = await loadConfig({}, environment, "/nowhere", { name: "test", settings: all });
  const http = { ...loaded.serve.http, grace: options.grace ?? 0 };
  const config = { ...loaded, serve: { ...loaded.serve, http } };
  const { expose = "agent" } = options.exposing ?? {};
  const passesOn = expose !== "agent";
  const parts = { models: models ?? { functionCall: gated, answer: gated }, tools, passesOn, servesOthers: true };
  const duet = await openDuet(config, parts);
  const over = new AbortController();
  const lines: string[] = [];
  const logged: LogFields[] = [];
  const runLog = createRunLog((_line, _level, fields = {}) => void logged.push(fields), "en");
  const listening = Promise.withResolvers<string>();
  const served = serveDuetOverHttp({
    duet,
    config,
    address: "127.0.0.1:0",
    log(line) {
      lines.push(line);
      const url = /http:\/\/127\.0\.0\.1:\d+(?=\/mcp)/.exec(line)?.[0];
      if (url) listening.resolve(url);
    },
    signal: over.signal,
    hurry: options.hurry,
    ...(options.logsRuns && { onBegin: runLog.followRun, onEnd: runLog.logEnd }),
    ...options.exposing,
  });
  served.catch(listening.reject);
  const origin = await listening.promise;
  async function close(): Promise<void> {
    over.abort();
    await served;
    await duet.close();
  }
  return { origin, port: Number(new URL(origin).port), model, config, lines, logged, close };
}
