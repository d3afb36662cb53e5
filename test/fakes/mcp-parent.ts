// A process that holds a pool of fake servers, for tests that kill it: `node mcp-parent.ts JOURNAL MODE...`.
import { join } from "node:path";
import { createPool } from "../../src/client/pool.ts";

const [journal = "", ...modes] = process.argv.slice(2);
const fakePath = join(import.meta.dirname, "mcp.ts");

const servers = modes.map((mode, index) => {
  const behindShell = mode.startsWith("sh:");
  const words = [process.execPath, fakePath, "--mode", mode.replace("sh:", ""), "--journal", journal];
  const [command = "", ...args] = behindShell
    ? ["sh", "-c", `${words.map((word) => `'${word}'`).join(" ")}; true`]
    : words;
  const transport = { type: "stdio" as const, command, args, env: {}, inheritEnv: [] };
  return {
    name: `s${index}`,
    transport,
    timeoutMs: 10_000,
    startTimeoutMs: 15_000,
    start: "eager" as const,
    sampling: false,
  };
});
const pool = createPool(servers, { environment: process.env, clientInfo: { name: "parent", version: "0" } });
await pool.ready();
process.stdout.write("ready\n");
