// Fault group E (docs/development/faults-network.md#e-addresses-that-are-dialled-and-what-comes-back): what a page, a server of
// names or a model may do to make the program reach where it must not, or choke. 63 and 69 are about servers and their tokens and
// belong to the MCP client; 68's pages are read_page's.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { DuetError } from "../../src/kit/errors.ts";
import type { OutgoingRequest, OutgoingResponse } from "../../src/kit/net/guarded-fetch.ts";
import { createBuiltinTools } from "../../src/tools/builtin/builtin-tools.ts";
import { createToolFetch, type ToolFetchParts } from "../../src/tools/outgoing/create-tool-fetch.ts";
import { startFakeSearch } from "../fakes/search.ts";
import { testContext } from "../tools/context.ts";
import { certificate } from "../tools/outgoing/certificate.ts";
import { countSockets, startListener, startSite } from "../tools/outgoing/servers.ts";

interface World extends ToolFetchParts {
  reach?: readonly string[];
  ports?: readonly number[];
  /** What each name resolves to; `lookup` where that changes. */
  names?: Record<string, readonly string[]>;
}

type Wanted = Partial<OutgoingRequest>;

/** Sends one request with a guarded fetch of its own. */
function request(url: string, { reach = [], ports = [80, 443], names = {}, ...parts }: World, wanted: Wanted = {}) {
  const lookup = async (host: string): Promise<readonly string[]> => names[host] ?? [];
  const guardedFetch = createToolFetch({ reach, ports }, { lookup, ...parts });
  const { signal } = new AbortController();
  return guardedFetch.request({ url, maxBytes: 100_000, timeoutMs: 5000, maxRedirects: 5, signal, ...wanted });
}

/** What refuses or fails a request, which must not succeed. */
async function errorOf(response: Promise<OutgoingResponse>): Promise<DuetError> {
  const thrown: unknown = await response.then(
    ({ status }) => `answered ${status}`,
    (error: unknown) => error,
  );
  if (thrown instanceof DuetError) return thrown;
  throw new Error(`not refused: ${String(thrown)}`);
}

const textOf = ({ body }: OutgoingResponse): string => body.toString();

describe("58, 59 private addresses, however they are written", () => {
  const private4 = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0X7F.0.0.1",
    "0x7f.0x0.0x0.0x1",
    "017700000001",
    "0177.0.0.1",
    "0177.0.0x1",
    "127.0.0.1.",
    "127.0.0.1..",
    "１２７.０.０.１",
    "①②⑦.0.0.1",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "0",
    "0.0.0.0",
    "00000000",
    "0.1.2.3",
    "localhost",
    "LOCALHOST",
    "LocalHost.",
    "loc\u00adalhost",
    "ｌｏｃａｌｈｏｓｔ",
    "a.localhost",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "169.254.1.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "10.0.0.1",
    "10.255.255.255",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.1",
    "100.64.0.1",
    "100.127.255.255",
    "198.18.0.1",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
  ];
  const private6 = [
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:7f00:1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[::ffff:10.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[::a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2001::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[fec0::1]",
    "[fe80::1]",
    "[fe80::1%25lo]",
    "[fe80::1%lo]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[5f00::1]",
  ];

  test.each([...private4, ...private6])("%s is refused before anything is opened", async (host) => {
    const sockets = countSockets();
    const victim = await startListener();
    for (const url of [`http://${host}:${victim.port}/`, `http://${host}/latest/meta-data`, `https://${host}/`]) {
      const error = await errorOf(request(url, { ports: [80, 443, victim.port] }));
      expect(error).toMatchObject({ code: "invalid_request" });
      expect(error.message).toMatch(/was not contacted/);
      expect(error.message).not.toContain("meta-data");
    }
    expect(victim.connects).toBe(0);
    expect(sockets.opened).toBe(0);
  });

  test.each([
    "127.1",
    "2130706433",
    "::1",
    "::ffff:7f00:1",
    "169.254.169.254",
    "fe80::1%lo",
    "localhost",
    "a/b",
    "a@b",
  ])("%s is refused as a port to connect to as well", async (host) => {
    const sockets = countSockets();
    const guardedFetch = createToolFetch({ reach: [], ports: [80] });
    const { signal } = new AbortController();
    await expect(guardedFetch.connect(host, 80, { timeoutMs: 1000, signal })).rejects.toThrow(/was not contacted/);
    expect(sockets.opened).toBe(0);
  });
});

describe("60, 61 names that resolve to private addresses", () => {
  test.each([["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["fe80::1%lo"]])(
    "60 a name for %s is refused by the address that would be dialled",
    async (address) => {
      const sockets = countSockets();
      const victim = await startListener();
      const world = { names: { "a.test": [address] }, ports: [victim.port] };
      const error = await errorOf(request(`http://a.test:${victim.port}/`, world));
      expect(error.message).toContain(`a.test:${victim.port} was not contacted: it resolves to ${address}`);
      expect(error.message).toContain(`add "a.test:${victim.port}" to web.reach to allow this`);
      expect([victim.connects, sockets.opened]).toEqual([0, 0]);
    },
  );

  test("61 a name is looked up once: the address that was judged is the one that is dialled", async () => {
    const site = await startSite((_request, response) => response.end("allowed"));
    const victim = await startListener(undefined, { host: "127.0.0.2", port: site.port });
    const answers = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]];
    let lookups = 0;
    const lookup = async () => answers[lookups++] ?? [];
    const world = { reach: [`127.0.0.1:${site.port}`], lookup };
    expect(textOf(await request(`http://rebind.test:${site.port}/`, world))).toBe("allowed");
    expect([lookups, site.connects, victim.connects]).toEqual([1, 1, 0]);
    const error = await errorOf(request(`http://rebind.test:${site.port}/`, world));
    expect(error.message).toContain("it resolves to 127.0.0.2, this machine");
    expect([lookups, site.connects, victim.connects]).toEqual([2, 1, 0]);
  });

  test("61 a redirect to the same name is looked up and judged anew", async () => {
    const site = await startSite((_request, response) => response.writeHead(302, { location: "/again" }).end());
    const victim = await startListener(undefined, { host: "127.0.0.2", port: site.port });
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const lookup = async () => answers.shift() ?? [];
    const world = { reach: [`127.0.0.1:${site.port}`], lookup };
    await errorOf(request(`http://rebind.test:${site.port}/`, world));
    expect([site.connects, victim.connects]).toEqual([1, 0]);
  });

  test.each([
    ["first", ["127.0.0.2", "127.0.0.1"]],
    ["last", ["127.0.0.1", "127.0.0.2"]],
    ["on both sides", ["127.0.0.2", "::1", "127.0.0.1", "::ffff:127.0.0.2"]],
  ])("61 of several addresses, those that are refused are never tried: %s", async (_where, addresses) => {
    const site = await startSite((_request, response) => response.end("allowed"));
    const victim = await startListener(undefined, { host: "127.0.0.2", port: site.port });
    const world = { reach: [`127.0.0.1:${site.port}`], names: { "a.test": addresses } };
    expect(textOf(await request(`http://a.test:${site.port}/`, world))).toBe("allowed");
    expect([site.connects, victim.connects]).toEqual([1, 0]);
  });

  test("61 nor when the one that is allowed does not answer", async () => {
    const victim = await startListener(undefined, { host: "127.0.0.2" });
    // At 127.0.0.1 another test may listen on that port.
    const world = { reach: [`127.0.0.3:${victim.port}`], names: { "a.test": ["127.0.0.3", "127.0.0.2"] } };
    const error = await errorOf(request(`http://a.test:${victim.port}/`, world));
    expect(error).toMatchObject({
      code: "network",
      message: `a.test:${victim.port}: the connection was refused; nothing listens there`,
    });
    expect(victim.connects).toBe(0);
  });
});

describe("62 redirects", () => {
  const targets = [
    "http://127.0.0.2:PORT/",
    "http://localhost:PORT/",
    "http://2130706434:PORT/",
    "http://[::1]:PORT/",
    "http://inside.test:PORT/",
    "//inside.test:PORT/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://user:canary@inside.test:PORT/",
    "http://outside.test:25/",
    "https://10.0.0.1/",
    "file:///etc/passwd",
    "gopher://127.0.0.2:PORT/_x",
    "ftp://127.0.0.2:PORT/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "http://",
    "http://a b/",
  ];

  test.each(targets)("to %s is not followed", async (target) => {
    let victimPort = 0;
    const site = await startSite((_request, response) => {
      response.writeHead(302, { location: target.replace("PORT", `${victimPort}`) }).end("canary");
    });
    const victim = await startListener(undefined, { host: "127.0.0.2" });
    victimPort = victim.port;
    const names = { "inside.test": ["127.0.0.2"], "outside.test": ["93.184.216.34"] };
    const world = { reach: [`127.0.0.1:${site.port}`], ports: [80, 443, victim.port], names };
    const sockets = countSockets();
    const error = await errorOf(request(`http://127.0.0.1:${site.port}/`, world));
    expect(error.code).toBe("invalid_request");
    expect(error.message).not.toMatch(/canary|meta-data|passwd/);
    expect([site.connects, victim.connects, sockets.opened]).toEqual([1, 0, 1]);
  });

  test("are followed five times and no further", async () => {
    const site = await startSite(({ url }, response) => {
      response.writeHead(302, { location: `/${Number(url?.slice(1)) + 1}` }).end();
    });
    const world = { reach: [`127.0.0.1:${site.port}`] };
    const error = await errorOf(request(`http://127.0.0.1:${site.port}/0`, world, { maxRedirects: 30 }));
    expect(error.message).toBe(`127.0.0.1:${site.port}: it redirects more than 5 times`);
    expect(site.requests.map(({ path }) => path)).toEqual(["/0", "/1", "/2", "/3", "/4", "/5"]);
    const itself = await request(`http://127.0.0.1:${site.port}/0`, world, { maxRedirects: 0 });
    expect(itself).toMatchObject({ status: 302, headers: { location: "/1" } });
  });

  test("from https to http are not followed", async () => {
    const plain = await startSite((_request, response) => response.end("plain"));
    const secure = await startSite(
      (_request, response) => response.writeHead(302, { location: `http://127.0.0.1:${plain.port}/` }).end(),
      { secure: true },
    );
    const world = { reach: ["127.0.0.1"], ca: certificate };
    const error = await errorOf(request(`https://127.0.0.1:${secure.port}/`, world));
    expect(error.message).toMatch(/from https to http, which is not safe/);
    expect([secure.connects, plain.connects]).toEqual([1, 0]);
  });

  test("to another origin take no header of ours along; within one origin they do", async () => {
    const other = await startSite((_request, response) => response.end("there"));
    const site = await startSite(({ url }, response) => {
      const location = url === "/start?key=canary" ? "/next" : `http://b.test:${other.port}/`;
      response.writeHead(302, { location, "set-cookie": "s=canary" }).end();
    });
    const names = { "a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"] };
    const world = { reach: [`a.test:${site.port}`, `b.test:${other.port}`], names };
    const headers = { Authorization: "Bearer canary", Cookie: "c=canary", "X-Api-Key": "canary" };
    const response = await request(`http://a.test:${site.port}/start?key=canary`, world, { headers });
    expect(response.url).toBe(`http://b.test:${other.port}/`);
    expect(site.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer canary", "Bearer canary"]);
    expect(JSON.stringify(other.requests)).not.toContain("canary");
    expect(other.requests[0]?.headers.host).toBe(`b.test:${other.port}`);
  });

  test("never take a body to another origin", async () => {
    const other = await startSite((_request, response) => response.end("there"));
    const site = await startSite((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end();
    });
    const world = { reach: ["127.0.0.1"] };
    const posted = request(`http://127.0.0.1:${site.port}/`, world, { method: "POST", body: "canary" });
    expect((await errorOf(posted)).message).toMatch(/redirects a POST request to it, which is not followed$/);
    expect([site.requests[0]?.body, other.connects]).toEqual(["canary", 0]);
  });

  test("that lead to what does not work name the host that did not", async () => {
    const broken = await startListener((socket) => socket.once("data", () => socket.end("nonsense")));
    const site = await startSite((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${broken.port}/` }).end();
    });
    const error = await errorOf(request(`http://127.0.0.1:${site.port}/`, { reach: ["127.0.0.1"] }));
    expect(error.message).toBe(`127.0.0.1:${broken.port}: the response is not valid HTTP`);
  });

  test("ask for leave at each hop", async () => {
    const site = await startSite(({ url }, response) => {
      if (url === "/0") response.writeHead(302, { location: "/1" }).end();
      else response.end("there");
    });
    const seen: string[] = [];
    const permits = (url: URL) => {
      seen.push(url.pathname);
      if (url.pathname === "/1") throw new DuetError({ code: "tool", text: { zh: "不行", en: "not there" } });
    };
    const world = { reach: ["127.0.0.1"] };
    await expect(request(`http://127.0.0.1:${site.port}/0`, world, { permits })).rejects.toThrow("not there");
    expect([seen, site.connects]).toEqual([["/0", "/1"], 1]);
  });
});

describe("64 proxies of the environment", () => {
  test.each(["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"])("%s is not used", async (variable) => {
    const proxy = await startListener();
    const site = await startSite((_request, response) => response.end("direct"));
    vi.stubEnv(variable, `http://127.0.0.1:${proxy.port}`);
    try {
      const world = { reach: [`127.0.0.1:${site.port}`] };
      expect(textOf(await request(`http://127.0.0.1:${site.port}/`, world))).toBe("direct");
      await errorOf(request("http://169.254.169.254/", world));
    } finally {
      vi.unstubAllEnvs();
    }
    expect(proxy.connects).toBe(0);
  });
});

describe("65 URLs that parsers read differently", () => {
  test.each([
    "http://a@127.0.0.1:PORT/",
    "http://ok.test@127.0.0.1:PORT/",
    "http://ok.test:80@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT#@ok.test/",
    "http://127.0.0.1:PORT?@ok.test/",
    "http://127.0.0.1:PORT\\@ok.test/",
    "http://ok.test\\@127.0.0.1:PORT/",
    "http:\\\\127.0.0.1:PORT\\x",
    "http:/127.0.0.1:PORT/",
    "http:127.0.0.1:PORT/",
    "http:////127.0.0.1:PORT/",
    " \thttp://127.0.0.1:PORT/\n",
    "http://127.0.\t0.1:PORT/",
    "ht\ntp://127.0.0.1:PORT/",
    "http://１２７.0.0.1:PORT/",
    "http://127.0.0.1.:PORT/",
    "http://127.0.0.1%00.ok.test:PORT/",
    "http://127.0.0.1%2f.ok.test:PORT/",
    "http://public.test:25/",
    "http://public.test:0/",
    "http://public.test:99999/",
    "http://user:canary@ok.test/",
    "//127.0.0.1:PORT/",
    "127.0.0.1:PORT",
    "",
    "http://..",
    "http://[::1",
    "ftp://127.0.0.1:PORT/",
    "file:///etc/passwd",
    "unix:/var/run/docker.sock",
  ])("%j is refused, and nothing is opened", async (written) => {
    const sockets = countSockets();
    const victim = await startListener();
    const world = {
      ports: [80, 443, victim.port],
      names: { "ok.test": ["10.9.9.9"], "public.test": ["93.184.216.34"] },
    };
    const error = await errorOf(request(written.replace("PORT", `${victim.port}`), world));
    expect(error.message).toMatch(/was not contacted/);
    expect(error.message).not.toMatch(/canary|passwd|docker/);
    expect([victim.connects, sockets.opened]).toEqual([0, 0]);
  });

  test("a trailing dot names the same host: the one that was judged is asked", async () => {
    const site = await startSite((_request, response) => response.end("one"));
    const world = { reach: [`a.test:${site.port}`], names: { "a.test": ["127.0.0.1"] } };
    const response = await request(`http://A.TEST.:${site.port}/`, world);
    expect(response.url).toBe(`http://a.test:${site.port}/`);
    expect(site.requests[0]?.headers.host).toBe(`a.test:${site.port}`);
  });
});

describe("66 compressed content", () => {
  /** 10 kB that are 1 GB, in as few steps as two encodings allow. */
  const bomb = gzipSync(Buffer.concat(Array(1024).fill(gzipSync(Buffer.alloc(1_048_576)))));

  test.each([
    ["two layers of gzip", "gzip, gzip", bomb],
    ["brotli over gzip", "gzip, br", brotliCompressSync(Buffer.concat(Array(256).fill(gzipSync(Buffer.alloc(4e6)))))],
    ["gzip", "gzip", gzipSync(Buffer.alloc(5e7))],
    ["deflate", "deflate", deflateSync(Buffer.alloc(5e7))],
  ])("a bomb in %s gives the first bytes and no more", async (_name, encoding, packed) => {
    const site = await startSite((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(packed);
    });
    expect(packed.length).toBeLessThan(60_000);
    const before = process.resourceUsage().maxRSS;
    const response = await request(`http://127.0.0.1:${site.port}/`, { reach: ["127.0.0.1"] });
    expect(response).toMatchObject({ status: 200, truncated: true });
    expect(response.body.length).toBe(100_000);
    // In kilobytes: far less than what was packed.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(100_000);
    await site.closed;
  });

  test.each([
    ["a thousand encodings", Array(1000).fill("gzip").join(", ")],
    ["three encodings", "gzip, br, gzip"],
    ["an encoding that is not known", "zstd"],
  ])("%s are refused", async (_name, encoding) => {
    const site = await startSite((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(gzipSync("canary"));
    });
    const error = await errorOf(request(`http://127.0.0.1:${site.port}/`, { reach: ["127.0.0.1"] }));
    expect(error).toMatchObject({ code: "bad_response" });
    expect(error.message).toMatch(/unsupported Content-Encoding/);
    await site.closed;
  });

  test.each([
    ["gzip", gzipSync("packed")],
    ["x-gzip", gzipSync("packed")],
    ["GZIP", gzipSync("packed")],
    ["br", brotliCompressSync("packed")],
    ["deflate", deflateSync("packed")],
    ["deflate", deflateRawSync("packed")],
    ["identity", Buffer.from("packed")],
    ["", Buffer.from("packed")],
    ["gzip, br", brotliCompressSync(gzipSync("packed"))],
    ["identity, gzip", gzipSync("packed")],
  ])("%j is unpacked", async (encoding, packed) => {
    const site = await startSite((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(packed);
    });
    const response = await request(`http://127.0.0.1:${site.port}/`, { reach: ["127.0.0.1"] });
    expect([textOf(response), response.truncated]).toEqual(["packed", false]);
  });

  test.each([
    ["cut short", gzipSync("x".repeat(1000)).subarray(0, 15)],
    ["not packed at all", Buffer.from("canary, not gzip")],
  ])("content that is %s is an error without its bytes", async (_name, sent) => {
    const site = await startSite((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(sent);
    });
    const error = await errorOf(request(`http://127.0.0.1:${site.port}/`, { reach: ["127.0.0.1"] }));
    expect(error.message).toBe(`127.0.0.1:${site.port}: the content cannot be decompressed`);
  });

  test.each(["HEAD", "GET"])("an empty body has no encoding (%s)", async (method) => {
    const site = await startSite((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end();
    });
    const world = { reach: ["127.0.0.1"] };
    const response = await request(`http://127.0.0.1:${site.port}/`, world, { method });
    expect([response.status, response.body.length, response.truncated]).toEqual([200, 0, false]);
  });
});

describe("67 bodies without an end", () => {
  test("a byte now and then, for ever, ends with the time for all", async () => {
    const site = await startSite((_request, response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    const world = { reach: ["127.0.0.1"] };
    const error = await errorOf(request(`http://127.0.0.1:${site.port}/`, world, { timeoutMs: 400 }));
    expect(error).toMatchObject({ code: "timeout" });
    expect(error.message).toBe(`The request to 127.0.0.1:${site.port} timed out after 0.4 s`);
    await site.closed;
  });

  test.each([
    ["says nothing", () => {}],
    ["stops in its headers", (socket: { write(text: string): void }) => socket.write("HTTP/1.1 200 OK\r\nx: ")],
    [
      "stops in its body",
      (socket: { write(text: string): void }) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"),
    ],
  ])("a server that %s is left, its socket closed", async (_name, act) => {
    const listener = await startListener(act);
    const world = { reach: ["127.0.0.1"] };
    const error = await errorOf(request(`http://127.0.0.1:${listener.port}/`, world, { timeoutMs: 300 }));
    expect(error.code).toBe("timeout");
    await listener.closed;
  });

  test("silence within a body has its own limit", async () => {
    const site = await startSite((_request, response) => response.write("some"));
    const world = { reach: ["127.0.0.1"], idleMs: 100 };
    const error = await errorOf(request(`http://127.0.0.1:${site.port}/`, world, { timeoutMs: 25_000 }));
    expect(error.message).toMatch(/the response stalled midway/);
    await site.closed;
  });

  test("10 GB are announced; what was asked for is read", async () => {
    let written = 0;
    const site = await startSite((_request, response) => {
      response.writeHead(200, { "content-length": `${10 * 2 ** 30}` });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.on("drain", more).on("error", () => {});
      more();
    });
    const response = await request(`http://127.0.0.1:${site.port}/`, { reach: ["127.0.0.1"] });
    expect([response.body.length, response.truncated]).toEqual([100_000, true]);
    await site.closed;
    expect(written).toBeLessThan(50_000_000);
  });

  test("whoever gave up waits no longer, and gets the reason", async () => {
    const site = await startSite((_request, response) => response.write("some"));
    const controller = new AbortController();
    const waiting = request(`http://127.0.0.1:${site.port}/`, { reach: ["127.0.0.1"] }, { signal: controller.signal });
    await vi.waitFor(() => expect(site.requests).toHaveLength(1), { timeout: 60_000 });
    controller.abort(new Error("stopped by the user"));
    await expect(waiting).rejects.toThrow("stopped by the user");
    await site.closed;
  });

  test("a run that is over opens nothing", async () => {
    const listener = await startListener();
    const sockets = countSockets();
    const signal = AbortSignal.abort(new Error("over"));
    const late = request(`http://127.0.0.1:${listener.port}/`, { reach: ["127.0.0.1"] }, { signal });
    await expect(late).rejects.toThrow("over");
    expect([listener.connects, sockets.opened]).toEqual([0, 0]);
  });

  test("headers without an end are refused", async () => {
    const listener = await startListener((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write(`x: ${"y".repeat(10_000)}\r\n`), 5);
      socket.on("close", () => clearInterval(timer));
    });
    const error = await errorOf(request(`http://127.0.0.1:${listener.port}/`, { reach: ["127.0.0.1"] }));
    expect(error.message).toBe(`127.0.0.1:${listener.port}: the response headers are too large`);
    await listener.closed;
  });
});

describe("70 servers that send what was not asked for", () => {
  const ok = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

  test("a second answer on the socket answers nothing: each request has a connection of its own", async () => {
    const listener = await startListener((socket, nth) => {
      socket.once("data", () => socket.write(ok(`first ${nth}`) + ok("canary, planted")));
    });
    const guardedFetch = createToolFetch({ reach: ["127.0.0.1"], ports: [] });
    const { signal } = new AbortController();
    const url = `http://127.0.0.1:${listener.port}/`;
    const wanted = { url, maxBytes: 1000, timeoutMs: 5000, maxRedirects: 0, signal };
    expect(textOf(await guardedFetch.request(wanted))).toBe("first 1");
    expect(textOf(await guardedFetch.request(wanted))).toBe("first 2");
    expect(listener.connects).toBe(2);
    expect(listener.received.match(/connection: close/gi)).toHaveLength(2);
  });

  test.each([1, 2])(
    "%i unasked 100 Continue before the answer are passed over, in whatever pieces they come",
    async (times) => {
      const all = "HTTP/1.1 100 Continue\r\n\r\n".repeat(times) + ok("real");
      for (const size of [all.length, 7]) {
        const listener = await startListener((socket) => {
          socket.setNoDelay(true);
          socket.once("data", async () => {
            for (let start = 0; start < all.length; start += size) {
              socket.write(all.slice(start, start + size));
              await new Promise((resolve) => setImmediate(resolve));
            }
          });
        });
        expect(textOf(await request(`http://127.0.0.1:${listener.port}/`, { reach: ["127.0.0.1"] }))).toBe("real");
      }
    },
  );

  test("a planted answer behind a redirect does not answer the next hop", async () => {
    const listener = await startListener((socket, nth) => {
      const redirect = "HTTP/1.1 302 Found\r\nlocation: /next\r\ncontent-length: 0\r\n\r\n";
      socket.once("data", () => socket.write(nth === 1 ? redirect + ok("canary, planted") : ok("real")));
    });
    expect(textOf(await request(`http://127.0.0.1:${listener.port}/`, { reach: ["127.0.0.1"] }))).toBe("real");
    expect(listener.connects).toBe(2);
  });

  test.each([
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\ncanary..."],
    [
      "a length and chunks",
      "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n6\r\ncanary\r\n0\r\n\r\n",
    ],
    ["a broken chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\ncanary\r\n0\r\n\r\n"],
    ["a broken header", "HTTP/1.1 200 OK\r\nbad header canary\r\n\r\n"],
    ["no HTTP", "SSH-2.0-canary\r\n"],
    ["a body that is too short", "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\ncanary"],
    ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\ncanary"],
    ["nothing", ""],
  ])("%s: an error without what was sent", async (_name, answer) => {
    const listener = await startListener((socket) => {
      socket.once("data", () => socket.end(answer));
    });
    const error = await errorOf(request(`http://127.0.0.1:${listener.port}/`, { reach: ["127.0.0.1"] }));
    expect(error.code).toBe("network");
    expect(JSON.stringify([error, error.message, error.text, String(error.cause)])).not.toContain("canary");
    await listener.closed;
  });
});

test("71 an address that a search finds is shown, and neither fetched nor to be fetched", async () => {
  const victim = await startListener();
  const url = `http://localhost:${victim.port}/`;
  const fake = await startFakeSearch({ redis: [{ title: "Redis", url, content: "FLUSHALL" }] });
  try {
    const search = fake.options({ backend: "searxng", searxng: { url: fake.url } });
    const web = { reach: [], ports: [80, 443, victim.port], hosts: ["*"] };
    const tools = createBuiltinTools({ roots: [], locale: "en", search, web });
    const tool = (name: string) => tools.find((each) => each.name === name);
    const found = await tool("web_search")?.run({ query: "redis" }, testContext());
    expect(found?.text).toContain(url);
    expect(victim.connects).toBe(0);
    const called = await tool("http_request")?.run({ url }, testContext());
    expect(called).toMatchObject({ ok: false, error: { code: "invalid_request" } });
    const checked = await tool("health_check")?.run({ targets: [url, `localhost:${victim.port}`] }, testContext());
    expect(checked?.text).toMatch(/^0 of 2 up/);
    expect(victim.connects).toBe(0);
  } finally {
    await fake.close();
  }
});
