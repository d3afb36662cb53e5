import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forManyStarts, program } from "../fakes/program.ts";
import type { OpenRelay } from "./relay.ts";

/** Starts the built `duet serve --http`, as its user would; gives the address of `/mcp`. */
export async function serveProgram(settings: object, args: readonly string[] = []): Promise<OpenRelay> {
  const folder = await mkdtemp(join(tmpdir(), "duet-conformance-"));
  const config = join(folder, "duet.config.json");
  await writeFile(config, JSON.stringify({ conversations: { store: "memory" }, ...settings }));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: folder, OLLAMA_BASE_URL: "http://127.0.0.1:9/v1", LANG: "en_US.UTF-8" };
  const child = spawn(
    process.execPath,
    [...forManyStarts, program, "serve", "--http", "127.0.0.1:0", "--config", config, ...args],
    { env, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = once(child, "exit");
  let lines = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text) => {
      lines += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(lines) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`duet serve ended with ${code}: ${lines}`)));
  });
  return {
    url,
    async close() {
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}
