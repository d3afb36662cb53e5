import { createServer, type RequestListener } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createModelList, type ListModels } from "../../../src/app/models/list-models.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { configFile, temporaryFolder } from "../../fakes/program.ts";

const nobody = "http://127.0.0.1:9/v1";

/** Opens the list of these settings. No vendor of the internet has a key. */
async function openList(settings: object, environment: Record<string, string>, patienceMs?: number) {
  const home = await temporaryFolder();
  const file = await configFile({ locale: "en", ...settings });
  const config = await loadConfig(
    { config: file },
    { HOME: home, DUET_HOME: home, OLLAMA_BASE_URL: nobody, ...environment },
  );
  return createModelList(config, { patienceMs });
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

const inForce = { functionCall: scriptedModel([]), answer: scriptedModel([]) };
const listOf = async (list: ListModels) => list(inForce);

test("what a vendor offers is listed in place of what is known, in its own wire, once, without what writes no text", async () => {
  const seen: string[] = [];
  const base = await serve(({ url = "", headers }, response) => {
    seen.push(`${url} ${headers.authorization} ${headers["anthropic-version"] ?? ""}`);
    const ids = url.startsWith("/claude")
      ? ["claude-next-1"]
      : ["models/gpt-next-1", "gpt-next-2", "gpt-image-9", "tts-1"];
    response.end(JSON.stringify({ data: ids.map((id) => ({ id })) }));
  });
  const list = await openList(
    {},
    {
      OPENAI_API_KEY: "sk-test-openai-1",
      OPENAI_BASE_URL: `${base}/gpt/v1`,
      ANTHROPIC_API_KEY: "sk-test-claude-2",
      ANTHROPIC_BASE_URL: `${base}/claude`,
    },
    20_000,
  );
  const { names, unlisted } = await listOf(list);
  const ofVendors = names.filter((name) => /^(openai|anthropic)\//.test(name));
  expect(ofVendors).toEqual([
    "openai/gpt-6.1-terra",
    "openai/gpt-next-2",
    "openai/gpt-next-1",
    "anthropic/claude-sonnet-5-5",
    "anthropic/claude-next-1",
  ]);
  expect(unlisted).toEqual([]);
  expect(await listOf(list)).toEqual({ names, unlisted });
  expect(seen.sort()).toEqual([
    "/claude/v1/models?limit=1000 Bearer sk-test-claude-2 2026-10-21",
    "/gpt/v1/models Bearer sk-test-openai-1 ",
  ]);
});

test("a vendor that refuses leaves the known models, with the reason and without the key", async () => {
  const refusing = await serve((_, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ error: { message: "Incorrect API key provided: sk-test-openai-1", code: "invalid_api_key" } }),
    );
  });
  const environment = { OPENAI_API_KEY: "sk-test-openai-1", OPENAI_BASE_URL: `${refusing}/v1` };
  const { names, unlisted } = await listOf(await openList({}, environment, 20_000));
  expect(names).toEqual(expect.arrayContaining(["openai/gpt-4o", "offline"]));
  expect(unlisted.map(({ provider }) => provider)).toEqual(["openai"]);
  expect(unlisted[0]?.reason.en).toContain("401");
  expect(JSON.stringify(unlisted)).not.toContain("sk-test-openai-1");
});

test("a vendor that stays silent leaves the known models, and says how long it was waited for", async () => {
  const silent = await serve(() => {});
  const environment = { GROQ_API_KEY: "gsk-test-2", GROQ_BASE_URL: `${silent}/v1` };
  const { names, unlisted } = await listOf(await openList({}, environment, 300));
  expect(names).toEqual(expect.arrayContaining(["groq/openai/gpt-oss-20b", "offline"]));
  expect(unlisted.map(({ provider, reason }) => `${provider}: ${reason.en}`)).toEqual(["groq: no answer within 0.3 s"]);
});

test("a list is read neither from another address nor without an end", async () => {
  let asked = 0;
  const other = await serve((_, response) => {
    asked++;
    response.end('{"data":[{"id":"gpt-stray-1"}]}');
  });
  const moved = await serve((_, response) => response.writeHead(302, { location: `${other}/v1/models` }).end());
  const endless = await serve((_, response) => {
    const piece = " ".repeat(1 << 20);
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  });
  const list = await openList(
    {},
    {
      OPENAI_API_KEY: "sk-test-openai-1",
      OPENAI_BASE_URL: `${moved}/v1`,
      GROQ_API_KEY: "gsk-test-2",
      GROQ_BASE_URL: `${endless}/v1`,
    },
    20_000,
  );
  const { names, unlisted } = await listOf(list);
  expect([asked, names.includes("openai/gpt-stray-1")]).toEqual([0, false]);
  expect(unlisted.map(({ provider }) => provider)).toEqual(["openai", "groq"]);
  expect(unlisted[1]?.reason.en).toContain("cannot be read");
});
