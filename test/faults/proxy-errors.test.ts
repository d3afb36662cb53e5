import { once } from "node:events";
import { createServer } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { resolveModel } from "../../src/config/models/resolve-model.ts";
import { createVendorTable } from "../../src/config/models/vendor-table.ts";
import { DuetError } from "../../src/kit/errors.ts";
import type { ProxyRules } from "../../src/kit/net/proxy-rules.ts";
import { createModel } from "../../src/providers/create-model.ts";
import { listOfferedModels } from "../../src/providers/offered-models.ts";
import { openTransport } from "../../src/providers/wires/transport.ts";
import { createToolFetch } from "../../src/tools/outgoing/create-tool-fetch.ts";
import { chooseBackends } from "../../src/tools/search/choose-backends.ts";
import { http, readyPoolOf } from "../client/servers.ts";
import { refusal } from "../config/workplace.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { authority, certificate, certificateKey } from "../fakes/proxy/certificates.ts";
import { portOf, startProxy } from "../fakes/proxy/start-proxy.ts";

const never = new AbortController().signal;
const key = "sk-test-openai-000123456789";

async function startProvider() {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  return provider;
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
      "openai/gpt-4o: the proxy http://127.0.0.1:9 cannot be reached: the connection was refused; nothing listens there",
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
    expect(text.en).toMatch(
      /^openai\/gpt-4o: the connection to model\.proxied\.test failed: its TLS certificate is not trusted .*\w*(CERT|VERIFY)\w* /,
    );
    expect(hint?.en).toContain("network.ca or NODE_EXTRA_CA_CERTS");
    expect(retryable).toBe(false);
    const secure = await startProxy({}, true);
    expect((await fail(toRules(secure.url))).text.en).toBe(
      `openai/gpt-4o: the proxy ${secure.origin} cannot be reached: its TLS certificate is not trusted (self-signed, or of an unknown issuer)`,
    );
  });

  test.each(["https", "http"])(
    "a proxy over TLS is known by its own name, not by that of the %s model",
    async (scheme) => {
      const secure = await startProxy({}, true);
      const { text } = await fail(toRules(secure.url, authority), `${scheme}://model.example/v1`);
      expect(text.en).toContain("HTTP 502");
    },
  );

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
    [{ network: { ca: "/nowhere/ca.pem" } }, /network\.ca: \/nowhere\/ca\.pem: does not exist$/],
    [{ network: { ca: import.meta.filename } }, /network\.ca: .*holds no certificates in PEM/],
  ])("%j is refused where it stands", async (file, line) => {
    const said = await refusal({ file });
    expect(said).toMatch(line);
    expect(said).not.toContain("secret-word");
  });
});

describe("further certificates", () => {
  test("are trusted by direct connections too: of models, lists of models and pages", async () => {
    const server = createServer({ cert: certificate, key: certificateKey }, (request, response) => {
      response.end(request.url === "/v1/models" ? '{"data":[{"id":"m-1"}]}' : "a page");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    const origin = `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const limits = { maxBytes: 100, timeoutMs: 30_000, maxRedirects: 0, signal: never };
    const from = { provider: "local", wire: "openai-chat", baseUrl: `${origin}/v1` } as const;
    const rules = { reach: ["127.0.0.1"], ports: [] };
    await expect(listOfferedModels(from, { ms: 30_000 })).rejects.toThrow(/CERT|certificate|VERIFY/);
    await expect(createToolFetch(rules).request({ url: origin, ...limits })).rejects.toThrow(/not trusted/);
    const network = { noProxy: [], ca: authority };
    expect(await listOfferedModels({ ...from, network }, { ms: 30_000 })).toEqual(["m-1"]);
    const page = await createToolFetch({ ...rules, network }).request({ url: origin, ...limits });
    expect(String(page.body)).toBe("a page");
    const answer = await openTransport({ network }).post({ url: `${origin}/`, path: "", headers: {} }, {}, never);
    const chunks: Buffer[] = [];
    await answer.body.read((chunk) => {
      chunks.push(chunk);
      return false;
    });
    expect(String(Buffer.concat(chunks))).toBe("a page");
  });

  test("a list of models comes by the proxy", async () => {
    const provider = await startProvider();
    provider.script("m-1", { text: "" });
    const proxy = await startProxy({ "model.proxied.test:443": portOf(provider.openaiUrl) });
    const network = { http: proxy.url, https: proxy.url, noProxy: [], ca: authority };
    const from = { provider: "openai", wire: "openai-chat", baseUrl: "https://model.proxied.test/v1" } as const;
    expect(await listOfferedModels({ ...from, network }, { ms: 60_000 })).toEqual(["m-1"]);
    expect(await proxy.requests()).toEqual(["model.proxied.test GET /v1/models"]);
    const wrong = { ...network, https: `${proxy.origin}/` };
    await expect(listOfferedModels({ ...from, network: wrong }, { ms: 60_000 })).rejects.toThrow(
      `openai/models: the proxy ${proxy.origin} asks for a user name and password (407)`,
    );
  });
});
