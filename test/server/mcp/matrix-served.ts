import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { forManyStarts, program } from "../../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import type { Served } from "./gateway/hosts.ts";

/** The built program with one model, `cheap`, and one tool of which somebody is to be asked first, `pour`. */
export interface ServedDuet {
  provider: FakeProvider;
  /** Where its configuration is. */
  folder: string;
  env: Record<string, string>;
  overStdio: Served & { command: string };
  /** Starts it over HTTP, for all who come. */
  overHttp(): Promise<Served & { url: string }>;
  /** What `pour` has poured. */
  poured(): Promise<string[]>;
  close(): Promise<void>;
}

/** `serve` is that part of the configuration. */
export async function serveDuet(serve: object = {}): Promise<ServedDuet> {
  const folder = await mkdtemp(join(tmpdir(), "duet-matrix-"));
  const provider = await startFakeProvider();
  const journal = join(folder, "poured");
  await mkdir(join(folder, "tools"));
  await writeFile(join(folder, "tools", "pour.mjs"), tool(journal));
  const config = {
    models: { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } },
    tools: { directory: "./tools", ask: ["pour"] },
    conversations: { store: "memory" },
    locale: "en",
    serve,
  };
  await writeFile(join(folder, "duet.config.json"), JSON.stringify(config));
  const env = { PATH: process.env.PATH ?? "", HOME: folder, OPENAI_API_KEY: "sk-test-openai-0001" };
  const args = [...forManyStarts, program, "serve", "--config", join(folder, "duet.config.json")];
  const stop = new AbortController();
  return {
    provider,
    folder,
    env,
    overStdio: { command: process.execPath, args, env },
    async overHttp() {
      const child = spawn(process.execPath, [...args, "--http", "0"], { env, stdio: ["ignore", "ignore", "pipe"] });
      stop.signal.addEventListener("abort", () => child.kill("SIGKILL"));
      for await (const line of createInterface({ input: child.stderr })) {
        const url = /http:\/\/\S+\/mcp/.exec(line)?.[0];
        if (url !== undefined) return { url };
      }
      const [code] = await once(child, "close");
      throw new Error(`duet serve --http ended with ${code}`);
    },
    poured: async () => (await readFile(journal, "utf8").catch(() => "")).split("\n").filter(Boolean),
    async close() {
      stop.abort();
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function tool(journal: string): string {
  return `import { appendFileSync } from "node:fs";
    export default {
      name: "pour",
      description: "Pours tea into a cup.",
      inputSchema: { type: "object", properties: { cup: { type: "string" } }, required: ["cup"] },
      run({ cup }) {
        appendFileSync(${JSON.stringify(journal)}, cup + "\\n");
        return "The cup " + cup + " is full.";
      },
    };`;
}
