import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createVendorTable, resolveModel } from "../../src/config/models/resolve-model.ts";
import { DuetError } from "../../src/kit/errors.ts";
import type { ProxyRules } from "../../src/kit/net/proxy-rules.ts";
import { createModel } from "../../src/providers/create-model.ts";
import { createToolFetch } from "../../src/tools/outgoing/create-tool-fetch.ts";
import { chooseBackends } from "../../src/tools/search/choose-backends.ts";
import { http, readyPoolOf } from "../client/servers.ts";
import { load, refusal } from "../config/workplace.ts";
import { startAuthorization } from "../fakes/authorization-server.ts";
import { newServer, serveHttp } from "../fakes/mcp-http.ts";
import { configFile, runProgram, temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { authority } from "../fakes/proxy/certificates.ts";
import { startRegistry } from "../fakes/proxy/npm-registry.ts";
import { portOf, startProxy, writeAuthority } from "../fakes/proxy/start-proxy.ts";
import { startFakeSearch } from "../fakes/search.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";

const never = new AbortController().signal;
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
      "✗ proxy http://127.0.0.1:9: from web.proxy · cannot be reached: the connection was refused, no service listens there. Check web.proxy.",
    );
    expect(lines).toContain(`✓ further certificates ${authority}: trusted as well as the usual ones`);
    expect(lines).toContainEqual(expect.stringMatching(/^✓ model openai\/gpt-4o: /));
    for (const form of formsOf(proxy.password)) expect(stdout).not.toContain(form);
  });
});

function formsOf(password: string): string[] {
  return [password, encodeURIComponent(password), Buffer.from(`ada:${password}`).toString("base64")];
}

describe("what goes wrong at a proxy is one line that names it, without its password", () => {
  /** Asks a model behind the proxy, and gives the error. */
  async function fail(network: ProxyRules, address = "https://model.proxied.test/v1"): Promise<DuetError> {
    const spec = { provider: "openai", model: "gpt-4o", baseUrl: address };
    const settings = resolveModel(spec, createVendorTable({}), { OPENAI_API_KEY: key }, "models.functionCall");
    const model = createModel({ ...settings, network }, { sleep: async () => {} });
    const request = { messages: [{ role: "user" as const, content: "hi" }], tools: [] };
    const thrown: unknown = await model.stream(request, () => {}, never).catch((error: unknown) => error);
    if (!(thrown instanceof DuetError)) throw thrown;
    return thrown;
  }

  const toRules = (proxy: string, ca?: string): ProxyRules => ({ http: proxy, https: proxy, noProxy: [], ca });

  test("a wrong password, over https and http, is not tried again", async () => {
    const proxy = await startProxy({ "model.proxied.test:443": 9, "model.proxied.test:80": 9 });
    const rules = toRules(`${proxy.origin.replace("//", "//ada:wrong-password@")}/`, authority);
    for (const address of ["https://model.proxied.test/v1", "http://model.proxied.test/v1"]) {
      const { text, hint, retryable } = await fail(rules, address);
      expect(text).toEqual({
        zh: `openai/gpt-4o：代理 ${proxy.origin} 不接受用户名或密码（407）`,
        en: `openai/gpt-4o: the proxy ${proxy.origin} does not accept the user name or password (407)`,
      });
      expect(hint?.en).toContain("percent-encoded");
      expect(retryable).toBe(false);
    }
    expect((await proxy.log()).map(({ status }) => status)).toEqual([407, 407]);
    const { text } = await fail(toRules(`${proxy.origin}/`, authority));
    expect(text.en).toBe(`openai/gpt-4o: the proxy ${proxy.origin} asks for a user name and password (407)`);
  });

  test("a proxy that is not there", async () => {
    const { text, hint } = await fail(toRules("http://ada:secret-word@127.0.0.1:9/"));
    expect(text.en).toBe(
      "openai/gpt-4o: the proxy http://127.0.0.1:9 cannot be reached: the connection was refused, no service listens there",
    );
    expect(hint?.en).toContain("Check HTTPS_PROXY");
    const nowhere = await fail(toRules("http://nowhere.proxied.test:3128/"));
    expect(nowhere.text.zh).toMatch(/^openai\/gpt-4o：代理 http:\/\/nowhere\.proxied\.test:3128 无法连接：/);
  });

  test("a host that the proxy does not reach", async () => {
    const proxy = await startProxy({});
    const { text } = await fail(toRules(proxy.url, authority));
    expect(text.en).toBe(`openai/gpt-4o: the proxy ${proxy.origin} did not connect to model.proxied.test (HTTP 502)`);
  });

  test("an authority that is not trusted", async () => {
    const provider = await startProvider();
    const proxy = await startProxy({ "model.proxied.test:443": portOf(provider.openaiUrl) });
    const { text, hint, retryable } = await fail(toRules(proxy.url));
    expect(text.en).toMatch(/^openai\/gpt-4o: the connection to model\.proxied\.test failed: \w*(CERT|VERIFY)\w* /);
    expect(hint?.en).toContain("network.ca or NODE_EXTRA_CA_CERTS");
    expect(retryable).toBe(false);
    const secure = await startProxy({}, true);
    expect((await fail(toRules(secure.url))).text.en).toBe(
      `openai/gpt-4o: the proxy ${secure.origin} cannot be reached: its TLS certificate is not trusted (self-signed, or of an unknown issuer)`,
    );
  });

  test("search and a server say the same", async () => {
    const proxy = await startProxy({ "mcp.proxied.test:80": 9 });
    const network = toRules(`${proxy.origin}/`);
    const reason = `the proxy ${proxy.origin} asks for a user name and password (407)`;
    const [backend] = chooseBackends({
      ...{ backend: "tavily", keyless: true, maxResults: 3, snippetLength: 100, network },
      tavily: { apiKey: "tvly-1234567890", baseUrl: "https://search.proxied.test" },
    });
    const limits = { maxResults: 3, timeoutMs: 60_000, signal: never };
    await expect(backend?.search("x", limits)).rejects.toThrow(`The search with Tavily failed: ${reason}`);
    const pool = await readyPoolOf(http("http://mcp.proxied.test/mcp", { network }));
    const [server] = pool.status();
    expect(server?.error?.text.en).toContain(reason);
  });

  test.each([
    [
      { HTTPS_PROXY: "socks5://ada:secret-word@127.0.0.1:1080" },
      /^HTTPS_PROXY: .*"socks5:\/\/…@127\.0\.0\.1:1080".*http or https proxy/,
    ],
    [{ http_proxy: "http://ada:secret-word@proxy:99999" }, /^http_proxy: .*"http:\/\/…@proxy:99999"/],
  ])("%j is an address of no proxy", async (environment, line) => {
    expect(await refusal({ environment })).toMatch(line);
  });

  test.each([
    [{ network: { proxy: "ftp://ada:secret-word@proxy" } }, /network\.proxy: .*"ftp:\/\/…@proxy"/],
    [{ providers: { openai: { proxy: "" } } }, /providers\.openai\.proxy: .*"".*or direct/],
    [{ web: { proxy: "yes/no" } }, /web\.proxy: .*or inherit/],
    [{ network: { ca: "/nowhere/ca.pem" } }, /network\.ca: \/nowhere\/ca\.pem: cannot be read \(ENOENT\)/],
    [{ network: { ca: import.meta.filename } }, /network\.ca: .*holds no certificates in PEM/],
  ])("%j is refused where it stands", async (file, line) => {
    const said = await refusal({ file });
    expect(said).toMatch(line);
    expect(said).not.toContain("secret-word");
  });
});

describe("pages", () => {
  const limits = { maxBytes: 1000, timeoutMs: 30_000, maxRedirects: 5, signal: never };
  const rules = { reach: [], ports: [80, 443] };

  async function startPages() {
    const pages = await serveHttp((request, response) => {
      const location = new URL(request.url ?? "", "http://x").searchParams.get("to");
      if (location) response.writeHead(302, { location });
      response.end("a page");
    });
    onTestFinished(() => pages.close());
    const port = portOf(pages.url);
    const proxy = await startProxy({ "pages.proxied.test:443": port, "pages.proxied.test:80": port });
    return { proxy, network: { http: proxy.url, https: proxy.url, noProxy: [], ca: authority } };
  }

  test("are fetched directly whatever the variables say, and by the proxy where web.proxy says so", async () => {
    const { proxy, network } = await startPages();
    const config = { environment: { HTTPS_PROXY: proxy.url }, file: {} };
    expect((await load(config)).web.network).toBeUndefined();
    expect((await load({ ...config, file: { web: { proxy: "inherit" } } })).web.network?.https).toBe(`${proxy.url}/`);
    const direct = createToolFetch(rules).request({ url: "https://pages.proxied.test/", ...limits });
    await expect(direct).rejects.toThrow(/pages\.proxied\.test/);
    expect(await proxy.log()).toEqual([]);
    const routed = createToolFetch({ ...rules, network });
    for (const url of ["https://pages.proxied.test/a", "http://pages.proxied.test/b"]) {
      expect(String((await routed.request({ url, ...limits })).body)).toBe("a page");
    }
    expect(await proxy.hosts()).toEqual(["pages.proxied.test:443", "pages.proxied.test:80"]);
  });

  test.each([
    "http://10.0.0.5/",
    "http://169.254.169.254/latest/meta-data",
    "http://[fd00::1]/",
    "http://printer/",
    "http://metadata.google.internal/",
    "http://nas.local./",
    "http://inside.example.com/",
    "http://half.example.com/",
    "http://pages.proxied.test:22/",
  ])("%s is refused before the proxy hears of it, also as a redirect", async (target) => {
    const { proxy, network } = await startPages();
    const addresses: Record<string, string[]> = {
      "inside.example.com": ["192.168.0.9"],
      "half.example.com": ["93.184.216.34", "10.0.0.1"],
    };
    const lookup = async (host: string) =>
      addresses[host] ?? Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }));
    const routed = createToolFetch({ ...rules, network }, { lookup });
    await expect(routed.request({ url: target, ...limits })).rejects.toThrow(/was not contacted/);
    expect(await proxy.log()).toEqual([]);
    const url = `http://pages.proxied.test/?to=${encodeURIComponent(target)}`;
    await expect(routed.request({ url, ...limits })).rejects.toThrow(/was not contacted/);
    expect(await proxy.hosts()).toEqual(["pages.proxied.test:80"]);
  });

  test("web.reach allows a private name by the proxy as well; this machine is reached without it", async () => {
    const { proxy, network } = await startPages();
    const lookup = () => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }));
    const routed = createToolFetch({ reach: ["printer", "localhost:*"], ports: [80], network }, { lookup });
    await expect(routed.request({ url: "http://printer/", ...limits })).resolves.toMatchObject({ status: 502 });
    expect(await proxy.hosts()).toEqual(["printer:80"]);
    await expect(routed.request({ url: "http://localhost:9/", ...limits })).rejects.toThrow(/refused/);
    expect(await proxy.log()).toHaveLength(1);
  });
});
