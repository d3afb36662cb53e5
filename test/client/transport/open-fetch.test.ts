import { expect, test } from "vitest";
import { openFetch } from "../../../src/client/transport/http.ts";
import { startListener, startSite } from "../../tools/outgoing/servers.ts";

test("requests one after the other share connections", async () => {
  const site = await startSite((_, response) => void response.end("hello"));
  const { fetch, close } = openFetch();
  for (let request = 0; request < 10; request += 1) {
    expect(await (await fetch(`http://127.0.0.1:${site.port}/`)).text()).toBe("hello");
  }
  // The second may begin before the first has given its connection back.
  expect(site.connects).toBeLessThan(4);
  await close();
});

test("closing ends what is under way, and the connection with it", async () => {
  const silent = await startListener();
  const { fetch, close } = openFetch();
  const waiting = fetch(`http://127.0.0.1:${silent.port}/`).catch((error: unknown) => error);
  await expect.poll(() => silent.received).toContain("GET /");
  await close();
  expect(await waiting).toBeInstanceOf(Error);
  await silent.closed;
});

test("a stream that nobody has read to its end is closed without a word", async () => {
  const site = await startSite((_, response) => void response.writeHead(200).write("data: 1\n\n"));
  const { fetch, close } = openFetch();
  const response = await fetch(`http://127.0.0.1:${site.port}/`);
  expect(response.status).toBe(200);
  await close();
  await site.closed;
});

test("a redirect is given back, not followed", async () => {
  const site = await startSite((_, response) => void response.writeHead(307, { location: "/elsewhere" }).end());
  const { fetch, close } = openFetch();
  const response = await fetch(`http://127.0.0.1:${site.port}/`, { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([307, "/elsewhere"]);
  await close();
});
