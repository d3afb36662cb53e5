import { readFileSync } from "node:fs";
import type { Tool } from "../../src/core/tools/tool.ts";
import type { JsonSchema } from "../../src/kit/json.ts";

interface Listed {
  server: string;
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonSchema;
}

/** The 65 tools that nine real servers listed, as the agent has them; each says that it ran, and with what. */
export function realTools(): Tool[] {
  const lines = readFileSync(new URL("../fixtures/real-tools.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line): Tool => {
    const { server, name, title, description = "", inputSchema }: Listed = JSON.parse(line);
    return {
      name: `${server}__${name}`,
      description,
      inputSchema,
      source: server,
      annotations: { title },
      run: async (args) => ({ ok: true, text: `${name} was called with ${JSON.stringify(args)}` }),
    };
  });
}
