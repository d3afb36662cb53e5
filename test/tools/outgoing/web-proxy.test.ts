import { describe, expect, onTestFinished, test } from "vitest";
import { createToolFetch } from "../../../src/tools/outgoing/create-tool-fetch.ts";
import { load } from "../../config/workplace.ts";
import { serveHttp } from "../../fakes/mcp-http.ts";
import { authority } from "../../fakes/proxy/certificates.ts";
import { portOf, startProxy } from "../../fakes/proxy/start-proxy.ts";

const never = new AbortController().signal;

function unknown(): Promise<never> {
  return Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }));
}

describe("pages by a proxy", () => {
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

  test("what is refused is refused before the proxy hears of it, also as a redirect: addresses, private names, names with a private address, ports", async () => {
    const { proxy, network } = await startPages();
    const addresses: Record<string, string[]> = {
      "inside.example.com": ["192.168.0.9"],
      "half.example.com": ["93.184.216.34", "10.0.0.1"],
    };
    const lookup = async (host: string) => addresses[host] ?? unknown();
    const routed = createToolFetch({ ...rules, network }, { lookup });
    const targets = [
      ...["http://10.0.0.5/", "http://169.254.169.254/latest/meta-data", "http://[fd00::1]/", "http://printer/"],
      ...["http://metadata.google.internal/", "http://nas.local./", "http://inside.example.com/"],
      ...["http://half.example.com/", "http://pages.proxied.test:22/"],
    ];
    for (const url of targets) {
      await expect(routed.request({ url, ...limits }), url).rejects.toThrow(/was not contacted/);
    }
    expect(await proxy.log()).toEqual([]);
    for (const target of targets) {
      const url = `http://pages.proxied.test/?to=${encodeURIComponent(target)}`;
      await expect(routed.request({ url, ...limits }), target).rejects.toThrow(/was not contacted/);
    }
    expect(await proxy.hosts()).toEqual(["pages.proxied.test:80"]);
  });

  test("web.reach allows a private name by the proxy as well; this machine is reached without it", async () => {
    const { proxy, network } = await startPages();
    const lookup = unknown;
    const routed = createToolFetch({ reach: ["printer", "localhost:*"], ports: [80], network }, { lookup });
    await expect(routed.request({ url: "http://printer/", ...limits })).resolves.toMatchObject({ status: 502 });
    expect(await proxy.hosts()).toEqual(["printer:80"]);
    await expect(routed.request({ url: "http://localhost:9/", ...limits })).rejects.toThrow(/refused/);
    expect(await proxy.log()).toHaveLength(1);
  });
});
