import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createPostgresStore } from "../../../../src/store/postgres/postgres-store.ts";
import type { TestPostgres } from "../../../fakes/postgres.ts";
import type { Chance } from "./chance.ts";
import { askUntilEnd, type ClientOptions } from "./client.ts";
import { type CutProxy, openCutProxy } from "./cut-proxy.ts";
import type { ClientRun, Evidence, ReplicaLife } from "./evidence.ts";
import { type ChaosModel, type ModelTimes, startModel } from "./model.ts";
import type { RunPlan } from "./plan.ts";
import { countConnections, isAlive, readDatabase, readToolLines, recordHolds } from "./read-evidence.ts";
import { createReplica, type Replica } from "./replica.ts";

/** Three replicas on one database, their model and the log of their tools. */
export interface Lab {
  readonly replicas: readonly [Replica, Replica, Replica];
  readonly model: ChaosModel;
  readonly url: string;
  readonly clients: ClientRun[];
  readonly expected: Evidence["expected"];
  /** The proxies between the replicas and the database, where there are some. */
  readonly proxies: readonly CutProxy[];
  origins(): (string | undefined)[];
  readTools(): ReturnType<typeof readToolLines>;
  /** Asks one question after the other, and resolves when all runs have ended. */
  askAll(plans: readonly RunPlan[], pace: Pace, more?: Partial<ClientOptions>): Promise<void>;
  ask(plan: RunPlan, more?: Partial<ClientOptions>): Promise<ClientRun>;
  /** Ends the replicas in order, looks what is left, and gives all that is known. */
  collect(forbids?: Partial<Evidence["forbids"]>): Promise<Evidence>;
  /** Ends what is still there, at once. */
  close(): Promise<void>;
}

export interface Pace {
  /** Is the time between two questions, in milliseconds. */
  everyMs: number;
  /** Limits the questions under way. */
  most: number;
}

export interface LabOptions {
  server: Pick<TestPostgres, "createDatabase">;
  chance: Chance;
  times: ModelTimes;
  /** Go into `serve.limits`. */
  limits?: object;
  /** By replica, in milliseconds. */
  clocks?: readonly number[];
  hasProxies?: boolean;
  deadlineMs?: number;
}

const names = ["a", "b", "c"] as const;
/** Is how long a replica may take to end when it is asked to, in milliseconds: its grace time, and some. */
export const graceMs = 10_000;
const endLimitMs = graceMs + 5_000;
/** Is how long tools may finish what they do after their host has died, in milliseconds. */
const toolsLimitMs = 5_000;

export async function openLab(options: LabOptions): Promise<Lab> {
  const { server, chance, times, limits = {}, clocks = [], hasProxies = false, deadlineMs = 120_000 } = options;
  const folder = mkdtempSync(join(tmpdir(), "duet-replicas-"));
  const toolLog = join(folder, "tools.log");
  writeFileSync(toolLog, "");
  const model = await startModel(times);
  const url = await server.createDatabase();
  await (await createPostgresStore(url)).close();
  await recordHolds(url);
  const config = join(folder, "duet.config.json");
  writeFileSync(config, JSON.stringify(toSettings(model.url, toolLog, limits)));
  const proxies: CutProxy[] = [];
  if (hasProxies) for (const name of names) proxies.push(await openCutProxy(url, chance.of(`proxy ${name}`)));
  const lives: ReplicaLife[] = [];
  const create = (index: number): Replica =>
    createReplica({
      ...{ name: names[index] ?? "", folder, config, lives },
      ...{ url: proxies[index]?.url ?? url, clockMs: clocks[index] },
    });
  const replicas = [create(0), create(1), create(2)] as const;
  const clients: ClientRun[] = [];
  const expected: Evidence["expected"] = [];
  const origins = (): (string | undefined)[] => replicas.map(({ origin }) => origin);

  async function close(): Promise<void> {
    await Promise.all(replicas.map((replica) => replica.kill()));
    for (const proxy of proxies) await proxy.close();
    await model.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  async function ask(plan: RunPlan, more: Partial<ClientOptions> = {}): Promise<ClientRun> {
    const client = await askUntilEnd(plan, { origins, chance: chance.of(plan.name), deadlineMs, ...more });
    clients.push(client);
    return client;
  }

  /** Gives what is still there a moment to end. */
  async function listLeft(): Promise<string[]> {
    const tools = new Set(readToolLines(toolLog).map(({ pid }) => pid));
    for (let waitedMs = 0; ; waitedMs += 50) {
      const processes = [...tools, ...lives.map(({ pid }) => pid)].filter(isAlive);
      const connections = await countConnections(url);
      const isOver = processes.length === 0 && connections === 0;
      if (!isOver && waitedMs < toolsLimitMs) await pause(50);
      else
        return [
          ...processes.map((pid) => `process ${pid} (${tools.has(pid) ? "a tool server" : "a replica"})`),
          ...(connections > 0 ? [`${connections} connections`] : []),
        ];
    }
  }

  try {
    await Promise.all(replicas.map((replica) => replica.start()));
    const late = replicas.find(({ origin }) => origin === undefined);
    if (late !== undefined) throw new Error(`replica ${late.name} does not listen:\n${late.log.join("\n")}`);
  } catch (thrown) {
    await close();
    throw thrown;
  }

  return {
    ...{ replicas, model, url, clients, expected, proxies, origins, ask, close },
    readTools: () => readToolLines(toolLog),
    async askAll(plans, { everyMs, most }, more) {
      const going = new Set<Promise<unknown>>();
      for (const plan of plans) {
        const asking = ask(plan, more).finally(() => going.delete(asking));
        going.add(asking);
        await pause(everyMs);
        while (going.size >= most) await Promise.race(going);
      }
      await Promise.all(going);
    },
    async collect(forbids = {}) {
      const database = await readDatabase(url);
      const codes = await Promise.all(replicas.map((replica) => replica.end(endLimitMs)));
      expected.push({
        what: "replicas that end in order",
        is: codes.filter((code) => code === 0).length,
        wanted: { exactly: 3 },
      });
      return {
        ...{ tools: readToolLines(toolLog), clients, lives, expected, left: await listLeft(), ...database },
        forbids: { unknown: false, takeovers: false, late: true, ...forbids },
      };
    },
  };
}

function toSettings(modelUrl: string, toolLog: string, limits: object): object {
  const toolServer = new URL("tool-server.mjs", import.meta.url).pathname;
  const price = { input: 1, output: 1 };
  const provider = {
    wire: "openai-chat",
    baseUrl: modelUrl,
    apiKeyEnv: "CHAOS_KEY",
    prices: { decides: price, answers: price },
  };
  return {
    models: { functionCall: { provider: "chaos", model: "decides" }, answer: { provider: "chaos", model: "answers" } },
    providers: { chaos: provider },
    mcpServers: { work: { command: process.execPath, args: [toolServer], env: { CHAOS_LOG: toolLog } } },
    tools: { ask: ["work__wipe_*"], askBeforeSending: false, allow: ["work__*"] },
    agent: { maxIterations: 20, maxToolCalls: 50, repeatable: ["work__read_*", "work__put_*"] },
    serve: {
      onDisconnect: "finish",
      maxRuns: 1000,
      limits: { maxRuns: 1000, ...limits },
      http: { grace: graceMs / 1000 },
    },
    search: { enabled: false },
    locale: "en",
  };
}
