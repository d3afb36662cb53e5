import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compileCache, forManyStarts, program } from "../../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { openReplica, type Replica } from "./open-replicas.ts";

/** A process of the built program. */
export interface RealReplica extends Replica {
  readonly child: ChildProcess;
  /** Holds what it has written to stderr. */
  readonly log: readonly string[];
}

/** Replicas of one configuration, which the tests of a file share: each starts what the ones before it have not left. */
export interface RealReplicas {
  /** Has the models `decides` and `answers`. */
  readonly provider: FakeProvider;
  /** Gives one that lives. */
  findOne(): Promise<RealReplica>;
  /** Gives two that live. */
  findTwo(): Promise<[RealReplica, RealReplica]>;
  start(): Promise<RealReplica>;
  /** Tells what the tool `write_line` has done for this name. */
  readLines(name: string): string;
  /** Lets its calls for this name end. */
  open(name: string): void;
  end(): Promise<void>;
}

/** A tool that writes when it begins and when it ends, which it does once a file is there. */
const gated = (folder: string): string => `import { appendFileSync, existsSync } from "node:fs";
export default {
  name: "write_line",
  description: "Writes a line.",
  inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  async run({ name }) {
    const file = ${JSON.stringify(join(folder, "lines-"))} + name;
    appendFileSync(file, "begun ");
    while (!existsSync(file + "-gate")) await new Promise((resolve) => setTimeout(resolve, 20));
    appendFileSync(file, "ended ");
    return "The line was written.";
  },
};
`;

const environment = {
  PATH: process.env.PATH,
  LANG: "en_US.UTF-8",
  OLLAMA_BASE_URL: "http://127.0.0.1:9/v1",
  OPENAI_API_KEY: "sk-test-openai-0001",
};

export async function openRealReplicas(
  url: string,
  { onDisconnect = "finish" }: { onDisconnect?: "cancel" | "finish" } = {},
): Promise<RealReplicas> {
  const provider = await startFakeProvider();
  const folder = mkdtempSync(join(tmpdir(), "duet-replicas-"));
  mkdirSync(join(folder, "tools"));
  writeFileSync(join(folder, "tools", "write-line.mjs"), gated(folder));
  const models = Object.fromEntries(
    Object.entries({ functionCall: "decides", answer: "answers" }).map(([role, model]) => [
      role,
      { provider: "openai", model, baseUrl: provider.openaiUrl, wire: "openai-chat" },
    ]),
  );
  const config = join(folder, "duet.config.json");
  const serve = { http: { grace: 60 }, onDisconnect };
  const tools = { directory: "./tools" };
  writeFileSync(
    config,
    JSON.stringify({ models, tools, serve, store: { url }, search: { enabled: false }, locale: "en" }),
  );
  const children: ChildProcess[] = [];
  const all: RealReplica[] = [];

  async function start(): Promise<RealReplica> {
    const home = join(folder, `home-${children.length}`);
    const child = spawn(process.execPath, [...forManyStarts, program, "serve", "--http", "0", "--config", config], {
      cwd: folder,
      env: { ...environment, ...compileCache(), HOME: home, DUET_HOME: home },
      stdio: ["ignore", "ignore", "pipe"],
    });
    children.push(child);
    const log: string[] = [];
    const origin = Promise.withResolvers<string>();
    child.once("close", (code) => origin.reject(new Error(`it ended with ${code}: ${log.join("\n")}`)));
    createInterface({ input: child.stderr }).on("line", (line) => {
      log.push(line);
      const found = /(http:\/\/\S+)\/mcp/.exec(line)?.[1];
      if (found !== undefined) origin.resolve(found);
    });
    const replica = { child, log, ...openReplica({ origin: await origin.promise, close: () => kill(child) }) };
    all.push(replica);
    return replica;
  }

  return {
    provider,
    start,
    findOne: async () => all.find(({ child }) => isAlive(child)) ?? start(),
    async findTwo() {
      const [first, second] = all.filter(({ child }) => isAlive(child));
      if (first !== undefined) return [first, second ?? (await start())];
      return Promise.all([start(), start()]);
    },
    readLines(name) {
      try {
        return readFileSync(join(folder, `lines-${name}`), "utf8");
      } catch {
        return "";
      }
    },
    open: (name) => writeFileSync(join(folder, `lines-${name}-gate`), ""),
    async end() {
      await Promise.all(children.map(kill));
      await provider.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function kill(child: ChildProcess): Promise<void> {
  if (!isAlive(child)) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}
