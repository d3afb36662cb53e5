import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { configFile, programEnvironment, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";

const turn = { text: "Yes.", usage: { input: 800, output: 100 } };

/** Starts servers with a limit of 2,000 tokens a day; each question is one turn of 900. */
async function openHome() {
  const provider = await startFakeProvider();
  onTestFinished(provider.close);
  provider.script("one", ...Array.from({ length: 100 }, () => turn));
  const env = await programEnvironment({ DUET_HOME: await temporaryFolder(), OPENAI_API_KEY: "sk-test-openai-0001" });
  const config = await configFile({
    models: { functionCall: { provider: "openai", model: "one", baseUrl: provider.openaiUrl, wire: "openai-chat" } },
    serve: { limits: { tokensPerDay: 2000 } },
    locale: "en",
  });

  async function serve() {
    const child = await startProgram(["serve", "--http", "0", "--config", config], { env });
    let origin: string | undefined;
    for await (const line of createInterface({ input: child.stderr })) {
      origin = /(http:\/\/\S+)\/mcp/.exec(line)?.[1];
      if (origin !== undefined) break;
    }
    async function ask(): Promise<number> {
      const response = await fetch(`${origin}/agent/chat`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: "Is it so?", mode: "chat" }),
      });
      const body = await response.text();
      if (response.status === 429) expect(body).toMatch(/serve\.limits\.tokensPerDay allows 2000/);
      return response.status;
    }
    async function end(): Promise<void> {
      child.kill("SIGKILL");
      await once(child, "close");
    }
    return { ask, end };
  }
  return { serve, provider };
}

test("40 questions at once, to two servers of one home, pass the daily limit by one turn at most, and a restart does not begin anew", async () => {
  const { serve, provider } = await openHome();
  const servers = [await serve(), await serve()];
  const asked = Array.from({ length: 40 }, (_, index) => servers[index % 2]?.ask());
  const statuses = await Promise.all(asked);
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(statuses.filter((status) => status === 429)).toHaveLength(37);
  expect(provider.requests("one")).toHaveLength(3);

  await Promise.all(servers.map(({ end }) => end()));
  const { ask } = await serve();
  expect(await ask()).toBe(429);
  expect(provider.requests("one")).toHaveLength(3);
});
