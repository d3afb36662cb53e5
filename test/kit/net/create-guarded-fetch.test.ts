import { expect, test } from "vitest";
import { createGuardedFetch } from "../../../src/kit/net/create-guarded-fetch.ts";
import { refusedError } from "../../../src/kit/net/request-errors.ts";
import { startSite } from "../../tools/outgoing/servers.ts";

const limits = { maxBytes: 1000, timeoutMs: 10_000, maxRedirects: 5, signal: new AbortController().signal };

/** A way out to this machine alone. */
const guardedFetch = createGuardedFetch({
  reach: {
    permits: (_host, address) => address === "127.0.0.1",
    refusal: ({ shown }) => refusedError(shown, { zh: "不允许", en: "not allowed" }),
  },
});

test("at most five redirects are followed, however many a caller wants", async () => {
  const site = await startSite((request, response) => {
    response.writeHead(302, { location: `${request.url}x` }).end();
  });
  const request = guardedFetch.request({ ...limits, url: `http://127.0.0.1:${site.port}/`, maxRedirects: 100 });
  await expect(request).rejects.toThrow("it redirects more than 5 times");
  expect(site.requests.map(({ path }) => path)).toEqual(["/", "/x", "/xx", "/xxx", "/xxxx", "/xxxxx"]);
});

test("the rules of a request are asked before each hop, and nothing is sent where they refuse", async () => {
  const site = await startSite((_, response) => {
    response.writeHead(302, { location: "/private" }).end();
  });
  const asked: string[] = [];
  const request = guardedFetch.request({
    ...limits,
    url: `http://127.0.0.1:${site.port}/`,
    permits({ pathname }) {
      asked.push(pathname);
      if (pathname === "/private") throw new Error("not there");
    },
  });
  await expect(request).rejects.toThrow("not there");
  expect(asked).toEqual(["/", "/private"]);
  expect(site.requests.map(({ path }) => path)).toEqual(["/"]);
});

test("the address of each hop is judged, also that of a redirect", async () => {
  const site = await startSite((_, response) => {
    response.writeHead(302, { location: "http://127.0.0.2:1/" }).end();
  });
  const request = guardedFetch.request({ ...limits, url: `http://127.0.0.1:${site.port}/` });
  await expect(request).rejects.toThrow("127.0.0.2:1 was not contacted: not allowed");
});

test("a redirect is given back as it is where none is to be followed", async () => {
  const site = await startSite((_, response) => {
    response.writeHead(302, { location: "/next" }).end();
  });
  const answer = await guardedFetch.request({ ...limits, url: `http://127.0.0.1:${site.port}/`, maxRedirects: 0 });
  expect([answer.status, answer.headers.location]).toEqual([302, "/next"]);
});
