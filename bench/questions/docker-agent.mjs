// docker-agent (github.com/docker/docker-agent), the agent in Go that is measured beside where DUET_BENCH_DOCKER_AGENT names its binary.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes the same agent for it into the folder `home`: the model at `url`, the tools of one server. Returns how it is started, or
 * undefined where there is no binary. Its tool over MCP is called `root`.
 */
export async function findDockerAgent({ url, toolServer, home, env }) {
  const command = process.env.DUET_BENCH_DOCKER_AGENT;
  if (command === undefined) return undefined;
  const file = join(home, `agent-${new URL(url).port}.yaml`);
  const lines = [
    "providers:",
    "  bench:",
    "    api_type: openai_chatcompletions",
    `    base_url: ${url}`,
    "    token_key: BENCH_KEY",
    "agents:",
    "  root:",
    "    model: bench/m",
    "    description: Answers questions.",
    "    instruction: You are a helpful assistant. Use the tools when they help.",
    "    toolsets:",
    "      - type: mcp",
    `        command: ${process.execPath}`,
    `        args: [${JSON.stringify(toolServer)}]`,
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  return {
    command,
    serve: ["serve", "mcp", file, "--working-dir", home],
    ask: ["run", "--exec", "--yolo", file],
    env: { ...env, TELEMETRY_ENABLED: "false" },
    tool: "root",
    argument: "message",
  };
}
