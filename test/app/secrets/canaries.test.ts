import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { toTool } from "../../../src/tools/user-tool.ts";
import { startCollector } from "../../fakes/collector.ts";
import { parseStreamData } from "../../fakes/event-stream.ts";
import { startHttpDuet } from "../../fakes/http-duet.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";

const canary = (place: string): string => `CANARY/x+7Q ${place}=é0123456789`.replaceAll(/[ é]/g, "-");

/** Lists each place where a secret may be configured. */
const environment = {
  OPENAI_API_KEY: `sk-${canary("model")}`,
  TAVILY_API_KEY: canary("search"),
  DUET_HTTP_TOKEN: canary("http"),
  SMTP_PASSWORD: canary("smtp"),
  AWS_SECRET_ACCESS_KEY: canary("aws"),
  INHERITED_CREDENTIAL: canary("inherited"),
};
const others = {
  header: canary("header"),
  // Has no digit, so that it reads like a word: only its place says what it is.
  plainHeader: "canary-plain-header",
  env: canary("env"),
  arg: canary("arg"),
  query: canary("query").replaceAll(/[/+=]/g, "_"),
};
const secrets: Record<string, string> = { ...environment, ...others };

const mcpServers = {
  local: {
    ...{ command: "/nowhere/x", args: [`--token=${others.arg}`], env: { SERVICE_KEY: others.env }, start: "lazy" },
    inheritEnv: ["INHERITED_CREDENTIAL"],
  },
  remote: {
    ...{ url: `http://127.0.0.1:9/mcp?key=${others.query}`, headers: { Authorization: `Bearer ${others.header}` } },
    start: "lazy",
  },
  plain: {
    ...{ url: "http://127.0.0.1:9/mcp", headers: { Authorization: `Bearer ${others.plainHeader}` } },
    start: "lazy",
  },
};

const encodings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString("base64").replace(/=+$/, ""),
  hex: (text) => Buffer.from(text).toString("hex"),
  percent: encodeURIComponent,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  "percent throughout": (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&"),
  "JSON throughout": (text) => Buffer.from(text).toString("hex").replace(/../g, "\\u00$&"),
};

/** Writes every secret in every encoding. */
const everything = Object.values(secrets)
  .flatMap((secret) => Object.values(encodings).map((encode) => encode(secret)))
  .join(" | ");

const inputSchema = { type: "object", additionalProperties: true };

async function fail(): Promise<never> {
  throw new Error(everything);
}

test("no secret is in what a run shows, keeps or reports, whoever repeats it and however it is written", async () => {
  const [provider, collector, home] = await Promise.all([startFakeProvider(), startCollector(), temporaryFolder()]);
  onTestFinished(() => provider.close());
  const turns = [
    {
      ...{ reasoning: everything, text: everything, chunkSize: 5 },
      toolCalls: ["leak", "fail"].map((name) => ({ name, arguments: { [everything]: everything } })),
    },
    { reasoning: everything, text: `All of them: ${everything}.`, chunkSize: 7 },
  ];
  provider.script("m", ...turns, ...turns, ...turns);
  const tools = [
    { name: "leak", description: "d", inputSchema, run: async () => everything },
    { name: "fail", description: "d", inputSchema, run: fail },
  ];
  const duet = await startHttpDuet({
    models: {},
    tools: await Promise.all(tools.map((tool) => toTool(tool, "test"))),
    settings: { conversations: { store: "disk" }, mcpServers, agent: { maxTokens: 60_000 } },
    environment: {
      ...environment,
      ...{
        OPENAI_BASE_URL: provider.openaiUrl,
        DUET_HOME: home,
        HOME: home,
        SMTP_HOST: "127.0.0.1",
        SMTP_FROM: "a@b.c",
      },
      AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "m" }),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
    },
  });
  const authorization = `Bearer ${environment.DUET_HTTP_TOKEN}`;
  const get = async (path: string) => (await fetch(duet.origin + path, { headers: { authorization } })).text();
  const post = async (path: string, body: object, accept = "application/json") => {
    const headers = { authorization, accept, "content-type": "application/json" };
    return (await fetch(duet.origin + path, { method: "POST", headers, body: JSON.stringify(body) })).text();
  };
  const question = { message: "Repeat all.", max_tokens: 60_000 };
  const answer = await post("/agent/chat", question);
  const { run_id, conversation_id } = JSON.parse(answer);
  const events = await post("/agent/chat", question, "text/event-stream");
  const messages = [{ role: "user", content: "Repeat all." }];
  const openAi = await post("/v1/chat/completions", { model: "duet-agent", stream: true, messages });
  const joinTexts = (type: string) =>
    parseStreamData(events)
      .map((event) => (event.type === type ? event.text : ""))
      .join("");
  const outputs: Record<string, string> = {
    answer,
    events,
    openAi,
    streamed: joinTexts("answer-delta"),
    thought: joinTexts("reasoning-delta"),
    trace: await get(`/agent/runs/${run_id}/trace`),
    conversation: await get(`/agent/conversations/${conversation_id}`),
    runs: await get("/agent/runs"),
    settings: await get("/agent/settings"),
    metrics: await get("/metrics"),
    ready: await get("/readyz"),
    prompts: JSON.stringify(provider.requests("m").map(({ body }) => body)),
  };
  await duet.close();
  outputs.log = duet.lines.join("\n");
  outputs.telemetry = collector.text();
  for (const file of readdirSync(home)) outputs[file] = readFileSync(join(home, file), "latin1");

  const found = Object.entries(outputs).flatMap(([output, text]) =>
    Object.entries(secrets).flatMap(([name, secret]) =>
      Object.entries(encodings).flatMap(([encoding, encode]) =>
        text.includes(encode(secret)) ? [`${name} as ${encoding} in ${output}`] : [],
      ),
    ),
  );
  expect(found).toEqual([]);
  // What was searched is what the run wrote, with something in place of the secrets.
  for (const output of [
    "answer",
    "streamed",
    "thought",
    "openAi",
    "trace",
    "conversation",
    "prompts",
    "telemetry",
    "duet.db",
  ])
    expect(`${output}: ${outputs[output]}`).toContain("[redacted OPENAI_API_KEY]");
  expect(outputs.trace).toContain("[redacted INHERITED_CREDENTIAL]");
});
