import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { listSecrets } from "../../../src/config/secrets/secrets.ts";
import { listFileVariables } from "../../../src/config/sources/used-variables.ts";
import type { Model, Turn } from "../../../src/core/model/model.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { locatePackage } from "../../../src/providers/clouds/load-package.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { refusal, workplace } from "../../config/workplace.ts";
import { type FakeCloud, startAzure, startBedrock, startVertex, toFrame } from "../../fakes/clouds.ts";
import { serveHttp } from "../../fakes/mcp-http.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";

const never = new AbortController().signal;
const lookUp = { name: "look_up", description: "", inputSchema: { type: "object", properties: {} } };

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider();
  onTestFinished(() => provider.close());
});

interface Setup {
  model: { provider: string; model: string } & Record<string, unknown>;
  environment?: Record<string, string>;
  providers?: object;
}

/** Opens the model that a configuration names, as the program does. */
async function open({ model: functionCall, environment = {}, providers = {} }: Setup): Promise<Model> {
  const directory = workplace({ "duet.config.json": JSON.stringify({ models: { functionCall }, providers }) });
  const config = await loadConfig(
    {},
    { HOME: directory, DUET_HOME: join(directory, "home"), ...environment },
    directory,
  );
  const choice = config.models.functionCall;
  if (choice === undefined || !("wire" in choice)) throw new Error("no model");
  for (const value of Object.values(environment).filter((each) => each.startsWith("secret-"))) {
    expect(listSecrets(config)).toContain(value);
  }
  return createModel(choice, { sleep: async () => {} });
}

function ask(model: Model): Promise<Turn> {
  return model.stream({ messages: [{ role: "user", content: "hi" }], tools: [lookUp] }, () => {}, never);
}

async function fail(work: Promise<unknown>): Promise<DuetError> {
  const thrown: unknown = await work.catch((error: unknown) => error);
  if (!(thrown instanceof DuetError)) throw thrown;
  return thrown;
}

/** Both a text and a call come through, with what the wire reads of them. */
async function expectTurns(model: Model, name: string): Promise<void> {
  provider.script(name, { text: "Guten Tag", usage: { input: 11, output: 3 } });
  provider.script(name, { toolCalls: [{ name: "look_up", arguments: {} }] });
  const turn = await ask(model);
  expect(turn).toMatchObject({ finish: "stop", usage: { inputTokens: 11, outputTokens: 3 } });
  expect(turn.message.content).toBe("Guten Tag");
  expect((await ask(model)).message.toolCalls.map((call) => call.name)).toEqual(["look_up"]);
}

/** Only what a request needs goes out: no description of this machine, and nothing of the environment. */
function expectPlainHeaders({ journal }: FakeCloud): void {
  const names = Object.keys(journal[0]?.headers ?? {}).filter((name) => !name.startsWith("x-amz-"));
  expect(names.filter((name) => name.startsWith("x-stainless") || name.startsWith("openai-"))).toEqual([]);
  expect(journal[0]?.headers["user-agent"]).toMatch(/^duet-mcp\//);
}

describe("Azure OpenAI", () => {
  test("gets the deployment in the path, the version in the query and the key in `api-key`", async () => {
    const azure = await startAzure(provider, { key: "secret-azure-key" });
    const environment = { AZURE_OPENAI_ENDPOINT: azure.url, AZURE_OPENAI_API_KEY: "secret-azure-key" };
    const model = await open({ model: { provider: "azure", model: "my-gpt-4o" }, environment });
    await expectTurns(model, "my-gpt-4o");
    expect(azure.journal[0]?.path).toBe(
      "/openai/deployments/my-gpt-4o/chat/completions?api-version=2025-04-01-preview",
    );
    expectPlainHeaders(azure);
  });

  test("takes a token of Entra, another version, and headers and a query of one's own", async () => {
    const azure = await startAzure(provider, { token: "secret-entra-token" });
    const model = await open({
      model: { provider: "azure", model: "gpt-4o" },
      environment: { AZURE_OPENAI_AD_TOKEN: "secret-entra-token", TENANT: "t-1" },
      providers: {
        azure: {
          baseUrl: `${azure.url}/openai/`,
          apiVersion: "2024-10-21",
          aliases: { "gpt-4o": "prod" },
          headers: { "X-Tenant": `\${TENANT}` },
          query: { trace: "on" },
        },
      },
    });
    await expectTurns(model, "prod");
    const [asked] = azure.journal;
    const url = new URL(asked?.path ?? "", azure.url);
    expect(url.pathname).toBe("/openai/deployments/prod/chat/completions");
    expect(Object.fromEntries(url.searchParams)).toEqual({ "api-version": "2024-10-21", trace: "on" });
    expect(asked?.headers["x-tenant"]).toBe("t-1");
  });

  test("answers over Responses where a model's tools need them, which name the deployment in the body", async () => {
    const azure = await startAzure(provider, { key: "secret-azure-key" });
    const environment = { AZURE_OPENAI_ENDPOINT: azure.url, AZURE_OPENAI_API_KEY: "secret-azure-key" };
    const model = await open({ model: { provider: "azure", model: "gpt-6-luna" }, environment });
    await expectTurns(model, "gpt-6-luna");
    expect(azure.journal[0]?.path).toMatch(/^\/openai\/responses\?api-version=/);
  });

  test("a wrong key and a missing one, and no address, are one line each", async () => {
    const azure = await startAzure(provider, { key: "secret-azure-key" });
    const model = { provider: "azure", model: "gpt-4o" };
    const environment = { AZURE_OPENAI_ENDPOINT: azure.url };
    const wrong = await fail(
      ask(await open({ model, environment: { ...environment, AZURE_OPENAI_API_KEY: "wrong" } })),
    );
    expect(wrong).toMatchObject({ code: "auth", status: 401, retryable: false });
    expect(wrong.text.en).toContain("azure/gpt-4o: authentication failed (HTTP 401)");
    expect(azure.journal).toHaveLength(1);
    expect((await fail(ask(await open({ model, environment })))).text.en).toBe(
      "azure: the key is missing: neither AZURE_OPENAI_API_KEY nor AZURE_OPENAI_AD_TOKEN is set",
    );
    expect((await fail(open({ model }))).text.en).toBe(
      "providers.azure.baseUrl: is not set: set AZURE_OPENAI_ENDPOINT or providers.azure.baseUrl",
    );
  });
});

describe("Amazon Bedrock", () => {
  const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret-aws-key/+=", sessionToken: "secret-session" };
  const environment = {
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_SESSION_TOKEN: keys.sessionToken,
    AWS_REGION: "eu-central-1",
  };
  const model = { provider: "bedrock", model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0" };

  test("gets requests with a signature that it computes the same, and its frames are read", async () => {
    const bedrock = await startBedrock(provider, { keys });
    const opened = await open({ model, environment: { ...environment, ANTHROPIC_BEDROCK_BASE_URL: bedrock.url } });
    await expectTurns(opened, "claude-sonnet-4-5-20250929-v1:0");
    expect(bedrock.journal[0]?.path).toBe(
      "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke-with-response-stream",
    );
    expectPlainHeaders(bedrock);
  });

  test("signs headers and a query of one's own, too; a region of the configuration comes before the variable", async () => {
    const bedrock = await startBedrock(provider, { keys });
    const providers = {
      bedrock: {
        baseUrl: bedrock.url,
        region: "eu-central-1",
        headers: { "x-team": "a b" },
        query: { b: "2", a: "ä" },
      },
    };
    const opened = await open({ model, environment: { ...environment, AWS_REGION: "us-west-2" }, providers });
    await expectTurns(opened, "claude-sonnet-4-5-20250929-v1:0");
    expect(bedrock.journal[0]?.headers["x-team"]).toBe("a b");
  });

  test("takes a bearer token without any signature", async () => {
    const bedrock = await startBedrock(provider, { token: "secret-bedrock-token" });
    const variables = { AWS_BEARER_TOKEN_BEDROCK: "secret-bedrock-token", ANTHROPIC_BEDROCK_BASE_URL: bedrock.url };
    await expectTurns(await open({ model, environment: variables }), "claude-sonnet-4-5-20250929-v1:0");
    expect(bedrock.journal[0]?.headers["x-amz-date"]).toBeUndefined();
  });

  test("a wrong secret key is refused once; an exception in the stream, and a damaged frame, are errors", async () => {
    const bedrock = await startBedrock(provider, { keys });
    const wrong = { ...environment, ANTHROPIC_BEDROCK_BASE_URL: bedrock.url, AWS_SECRET_ACCESS_KEY: "secret-wrong" };
    const refused = await fail(ask(await open({ model, environment: wrong })));
    expect(refused).toMatchObject({ code: "auth", status: 403, retryable: false });
    expect(refused.text.en).toContain("signature we calculated does not match");
    expect(bedrock.journal).toHaveLength(1);

    const frames: Buffer[] = [];
    const broken = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
      response.end(frames.shift());
    });
    onTestFinished(() => broken.close());
    const opened = await open({
      model,
      environment: { ...environment, ANTHROPIC_BEDROCK_BASE_URL: new URL(broken.url).origin },
    });
    const exception = toFrame({ message: "Too many requests" }, ":exception-type", "throttlingException");
    const damaged = toFrame({ bytes: "e30=" });
    damaged.writeUInt8(0xff, damaged.length - 6);
    frames.push(...Array.from({ length: 9 }, () => exception));
    expect(await fail(ask(opened))).toMatchObject({
      code: "rate_limit",
      text: { en: expect.stringContaining("Too many requests") },
    });
    frames.splice(0, frames.length, ...Array.from({ length: 9 }, () => damaged));
    expect((await fail(ask(opened))).text.en).toMatch(/^bedrock\/eu\.anthropic/);
  });

  test("no credentials at all are an `auth` error that says which to set", async () => {
    const bedrock = await startBedrock(provider, { keys });
    const opened = await open({ model, environment: { ANTHROPIC_BEDROCK_BASE_URL: bedrock.url } });
    const { code, text, hint } = await withEnvironment({ ...noAws }, () => fail(ask(opened)));
    expect({ code, text: text.en }).toEqual({
      code: "auth",
      text: expect.stringContaining("bedrock: no usable credentials"),
    });
    expect(hint?.en).toContain("AWS_BEARER_TOKEN_BEDROCK");
    expect(bedrock.journal).toEqual([]);
  });
});

/** Leaves the package nothing to find: no files, no service of the machine. */
const noAws = {
  AWS_EC2_METADATA_DISABLED: "true",
  AWS_CONFIG_FILE: "/nowhere/config",
  AWS_SHARED_CREDENTIALS_FILE: "/nowhere/credentials",
};

/** The packages read some variables of the process by themselves. */
async function withEnvironment<T>(variables: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

describe("Google Vertex AI", () => {
  const model = { provider: "vertex", model: "claude-sonnet-4-5@20250929" };
  const place = { CLOUD_ML_REGION: "europe-west1", ANTHROPIC_VERTEX_PROJECT_ID: "my-project" };

  test("gets project, region and model in the path, and a token", async () => {
    const vertex = await startVertex(provider, "secret-google-token");
    const environment = { ...place, CLOUDSDK_AUTH_ACCESS_TOKEN: "secret-google-token" };
    const providers = { vertex: { baseUrl: `${vertex.url}/v1`, headers: { "x-goog-user-project": "billing" } } };
    await expectTurns(await open({ model, environment, providers }), "claude-sonnet-4-5@20250929");
    expect(vertex.journal[0]?.headers["x-goog-user-project"]).toBe("billing");
    expectPlainHeaders(vertex);
  });

  test("gets a token for the credentials of a file, which Google's own package exchanges", async () => {
    const vertex = await startVertex(provider, "exchanged-token");
    const folder = workplace({ "subject.txt": "subject-token" });
    await mkdir(folder, { recursive: true });
    const file = join(folder, "credentials.json");
    await writeFile(
      file,
      JSON.stringify({
        type: "external_account",
        audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/p",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: `${vertex.url}/token`,
        credential_source: { file: join(folder, "subject.txt") },
      }),
    );
    const environment = { ...place, GOOGLE_APPLICATION_CREDENTIALS: file };
    const providers = { vertex: { baseUrl: `${vertex.url}/v1` } };
    await expectTurns(await open({ model, environment, providers }), "claude-sonnet-4-5@20250929");
    expect(vertex.journal.map(({ path }) => path).filter((path) => path === "/token")).toHaveLength(1);
  });

  test("a token that is not accepted, and a project that nobody named, are one line each", async () => {
    const vertex = await startVertex(provider, "secret-google-token");
    const providers = { vertex: { baseUrl: `${vertex.url}/v1` } };
    const environment = { ...place, CLOUDSDK_AUTH_ACCESS_TOKEN: "old-token-0000" };
    expect(await fail(ask(await open({ model, environment, providers })))).toMatchObject({ code: "auth", status: 401 });
    const { text, hint } = await fail(
      ask(await open({ model, environment: { CLOUDSDK_AUTH_ACCESS_TOKEN: "secret-google-token" }, providers })),
    );
    expect(text.en).toMatch(/^vertex: no usable credentials \(No projectId was given/);
    expect(hint?.en).toContain("GOOGLE_CLOUD_PROJECT");
  });
});

test("a package is found in the folder of packages, and a missing one is told with the command that installs it there", async () => {
  const folder = workplace({
    "node_modules/some-cloud/package.json": JSON.stringify({ name: "some-cloud", version: "1.0.0" }),
    "node_modules/some-cloud/index.js": "",
  });
  const wanted = { name: "some-cloud", major: 1 };
  expect(locatePackage("cloud", wanted, folder)).toBe(join(folder, "node_modules/some-cloud/index.js"));
  const { code, text, hint } = await fail((async () => locatePackage("cloud", wanted, workplace()))());
  expect({ code, text: text.en }).toEqual({
    code: "config",
    text: "cloud needs the package some-cloud, which is not installed",
  });
  expect(hint?.en).toMatch(/^Run: npm install --prefix "\/.*" some-cloud@1$/);
});

test("headers and a query of one's own go to any provider, and the values are masked", async () => {
  const providers = {
    openai: {
      baseUrl: provider.openaiUrl,
      headers: { Authorization: "Bearer secret-header-1", "X-Org": "o" },
      query: {},
    },
  };
  provider.script("gpt-4o", { text: "hi" });
  const environment = { OPENAI_API_KEY: "sk-not-sent-000000" };
  await ask(await open({ model: { provider: "openai", model: "gpt-4o" }, environment, providers }));
  expect(provider.journal[0]?.headers).toMatchObject({ authorization: "Bearer secret-header-1", "x-org": "o" });
  const directory = workplace({ "duet.config.json": JSON.stringify({ providers }) });
  expect(listSecrets(await loadConfig({}, { HOME: directory }, directory))).toContain("secret-header-1");
});

test("a configuration that sends requests of a cloud elsewhere is shown with the credentials that go there", () => {
  const moved = (name: string) =>
    listFileVariables({ providers: { [name]: { baseUrl: "https://elsewhere.example" } } });
  expect(moved("azure")).toEqual(["AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"]);
  expect(moved("bedrock")).toEqual(["AWS_BEARER_TOKEN_BEDROCK", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]);
  expect(moved("vertex")).toEqual(["CLOUDSDK_AUTH_ACCESS_TOKEN"]);
});

test.each([
  [{ region: "eu" }, "azure", /providers\.azure\.region: is only for bedrock, vertex/],
  [{ apiVersion: "1" }, "openai", /providers\.openai\.apiVersion: is only for azure/],
  [{ region: "eu/../x" }, "bedrock", /providers\.bedrock\.region: "eu\/\.\.\/x" is not allowed/],
])("%j of %s is refused", async (settings, name, line) => {
  expect(await refusal({ file: { providers: { [name]: settings } } })).toMatch(line);
});
