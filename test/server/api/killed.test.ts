import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { programEnvironment, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";

/** A tool that has done its work, and does not come back. */
const stuck = (journal: string): string => `import { appendFileSync } from "node:fs";
export default {
  name: "write_line",
  description: "Writes a line.",
  inputSchema: { type: "object", properties: {} },
  async run() {
    appendFileSync(${JSON.stringify(journal)}, "line\\n");
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  },
};
`;

test("a key whose run was killed with its process goes on: its call is not made again, and the model is told", async () => {
  const provider = await startFakeProvider();
  onTestFinished(provider.close);
  const turn = { toolCalls: [{ name: "write_line", arguments: {} }] };
  provider.script("one", turn, { text: "Nobody knows whether the line was written." });
  const folder = await temporaryFolder();
  const journal = join(folder, "lines");
  await mkdir(join(folder, "tools"));
  await writeFile(join(folder, "tools", "write-line.mjs"), stuck(journal));
  const models = {
    functionCall: { provider: "openai", model: "one", baseUrl: provider.openaiUrl, wire: "openai-chat" },
  };
  const config = join(folder, "duet.config.json");
  await writeFile(config, JSON.stringify({ models, tools: { directory: "./tools" }, locale: "en" }));
  const env = await programEnvironment({ DUET_HOME: folder, OPENAI_API_KEY: "sk-test-openai-0001" });

  async function serve() {
    const child = await startProgram(["serve", "--http", "0", "--config", config], { env });
    let origin: string | undefined;
    for await (const line of createInterface({ input: child.stderr })) {
      origin = /(http:\/\/\S+)\/mcp/.exec(line)?.[1];
      if (origin !== undefined) break;
    }
    const ask = (key: string): Promise<Response> =>
      fetch(`${origin}/agent/chat`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify({ message: "Write a line" }),
      });
    return { child, ask };
  }
  const written = async (): Promise<string> => readFile(journal, "utf8").catch(() => "");

  const first = await serve();
  const cut = first.ask("k1").catch(() => "cut");
  await expect.poll(written).toBe("line\n");
  const ended = once(first.child, "close");
  first.child.kill("SIGKILL");
  await ended;
  expect(await cut).toBe("cut");

  const { ask } = await serve();
  for (const again of [1, 2]) {
    const response = await ask("k1");
    expect([again, response.status]).toEqual([again, 200]);
    expect(await response.json()).toMatchObject({
      status: "complete",
      response: "Nobody knows whether the line was written.",
      tool_calls: [{ tool: "write_line", ok: false, result: expect.stringContaining("may have taken effect") }],
      notices: [{ code: "run-resumed" }],
    });
  }
  expect(await written()).toBe("line\n");
  expect(provider.requests("one")).toHaveLength(2);
});
