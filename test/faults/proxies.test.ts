import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startAuthorization } from "../fakes/authorization-server.ts";
import { newServer, serveHttp } from "../fakes/mcp-http.ts";
import { configFile, runProgram, temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { startRegistry } from "../fakes/proxy/npm-registry.ts";
import { portOf, startProxy, writeAuthority } from "../fakes/proxy/start-proxy.ts";
import { startFakeSearch } from "../fakes/search.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";

const key = "sk-test-openai-000123456789";

async function startProvider() {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  return provider;
}

/** All that was written into a folder. */
async function readAll(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("\n");
}

describe("behind a proxy that alone knows the hosts", () => {
  test("the model, the search, a server over HTTP with its sign-in and one that npx fetches are reached; this machine and NO_PROXY are not asked of it", async () => {
    const provider = await startProvider();
    const search = await startFakeSearch({ beijing: [{ title: "T", url: "https://example.com", content: "C" }] });
    const local = await newServer();
    const pages = await serveHttp((_request, response) => void response.end("through the proxy"));
    const registry = await startRegistry("https://registry.proxied.test");
    for (const server of [search, local, pages, registry]) onTestFinished(() => server.close());
    const authorization = await startAuthorization();
    const proxy = await startProxy({
      "model.proxied.test:443": portOf(provider.openaiUrl),
      "search.proxied.test:443": portOf(search.url),
      "mcp.proxied.test:443": portOf(authorization.url),
      "registry.proxied.test:443": portOf(registry.url),
      "pages.proxied.test:443": portOf(pages.url),
      "aside.proxied.test:443": portOf(local.url),
    });
    authorization.origin = "https://mcp.proxied.test";
    authorization.url = "https://mcp.proxied.test/mcp";
    const toolCalls = [
      { name: "web_search", arguments: { query: "beijing" } },
      { name: "signed__whoami", arguments: {} },
      { name: "fetched__get", arguments: { url: "https://pages.proxied.test/hello" } },
      { name: "local__shout", arguments: { text: "here" } },
    ];
    provider.script("gpt-4o", { toolCalls }, { text: "all four answered" });
    const config = await configFile({
      models: { functionCall: { provider: "openai", model: "gpt-4o" } },
      providers: { openai: { baseUrl: "https://model.proxied.test/v1" } },
      search: { tavily: { baseUrl: "https://search.proxied.test" } },
      network: { ca: await writeAuthority() },
      mcpServers: {
        signed: {
          url: authorization.url,
          auth: { type: "client_credentials", clientId: "duet", clientSecret: "client-secret-1" },
        },
        fetched: {
          command: "npx",
          args: ["-y", "proxied-server@1.0.0"],
          env: { npm_config_registry: "https://registry.proxied.test", npm_config_update_notifier: "false" },
        },
        local: { url: local.url },
        aside: { url: "https://aside.proxied.test/mcp" },
      },
    });
    const home = await temporaryFolder();
    const { code, stdout, stderr } = await runWarmProgram(
      ["ask", "What is new in Beijing?", "--config", config, "--mode", "agent", "--verbose"],
      { env: { OPENAI_API_KEY: key, HTTPS_PROXY: proxy.url, NO_PROXY: "aside.proxied.test", DUET_HOME: home } },
    );
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringContaining("all four answered") });
    // No request by another way would have been answered: nothing but the proxy knows these names.
    const results = JSON.stringify(provider.requests("gpt-4o")[1]?.body.messages);
    for (const said of ["example.com", "you", "through the proxy", "HERE"]) expect(results).toContain(said);
    const names = ["mcp", "model", "pages", "registry", "search"];
    expect(await proxy.hosts()).toEqual(names.map((name) => `${name}.proxied.test:443`));
    expect((await proxy.log()).filter(({ status }) => status === 407)).toEqual([]);
    expect(await proxy.requests()).toEqual(
      expect.arrayContaining([
        "mcp.proxied.test GET /.well-known/oauth-authorization-server",
        "mcp.proxied.test POST /mcp",
        "mcp.proxied.test POST /token",
        "model.proxied.test POST /v1/chat/completions",
        "pages.proxied.test GET /hello",
        "registry.proxied.test GET /proxied-server",
        "search.proxied.test POST /search",
      ]),
    );
    expect(stderr).toMatch(/aside.*(ENOTFOUND|EAI_AGAIN)/);
    const told = [stdout, stderr, results, await readAll(home)].join("\n");
    for (const form of formsOf(proxy.password)) expect(told).not.toContain(form);
  });

  test("`duet doctor` names the proxy, what it is set by and whether it answers; Node's own variable for certificates is enough, and the proxy may speak TLS", async () => {
    const provider = await startProvider();
    const proxy = await startProxy({ "model.proxied.test:443": portOf(provider.openaiUrl) }, true);
    provider.script("gpt-4o", { text: "ready" });
    const config = await configFile({
      models: { functionCall: { provider: "openai", model: "gpt-4o" } },
      providers: { openai: { baseUrl: "https://model.proxied.test/v1" } },
      web: { proxy: "http://127.0.0.1:9" },
    });
    const authority = await writeAuthority();
    const env = { OPENAI_API_KEY: key, ALL_PROXY: proxy.url, no_proxy: "10.0.0.0/8", NODE_EXTRA_CA_CERTS: authority };
    const { stdout } = await runProgram(["doctor", "--config", config], { env });
    const lines = stdout.split("\n");
    expect(lines).toContain(`✓ proxy ${proxy.origin}: from ALL_PROXY · NO_PROXY 10.0.0.0/8`);
    expect(lines).toContain(
      "✗ proxy http://127.0.0.1:9: from web.proxy · cannot be reached: the connection was refused; nothing listens there. Check web.proxy.",
    );
    expect(lines).toContain(`✓ further certificates ${authority}: trusted as well as the usual ones`);
    expect(lines).toContainEqual(expect.stringMatching(/^✓ model openai\/gpt-4o: /));
    for (const form of formsOf(proxy.password)) expect(stdout).not.toContain(form);
  });
});

function formsOf(password: string): string[] {
  return [password, encodeURIComponent(password), Buffer.from(`ada:${password}`).toString("base64")];
}
