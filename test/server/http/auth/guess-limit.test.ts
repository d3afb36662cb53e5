import { expect, test } from "vitest";
import { operator } from "../../../../src/core/caller.ts";
import { createAuthenticate } from "../../../../src/server/http/auth/authenticate.ts";
import { createGuessLimit } from "../../../../src/server/http/auth/guess-limit.ts";

const right = "the-right-token-0123456789";
const other = "203.0.113.9";

/** Tells which tokens were looked at, in their order. */
function limited(delayMs: number, hasSignIn = false) {
  const seen: (string | null)[] = [];
  const lines: string[] = [];
  const admit = createAuthenticate({ token: right });
  const limit = createGuessLimit({
    authenticate: (request) => {
      seen.push(request.headers.get("authorization"));
      return admit(request);
    },
    hasSignIn,
    locale: "en",
    log: (line) => void lines.push(line),
    delayMs,
  });
  const ask = async (token: string, address = "192.0.2.7", signal?: AbortSignal) => {
    const headers = { authorization: `Bearer ${token}` };
    const found = await limit(new Request("http://duet/mcp", { headers, ...(signal && { signal }) }), address);
    return "status" in found ? found.status : found.caller;
  };
  return { ask, seen, lines };
}

async function guess(ask: (token: string) => Promise<unknown>, times: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let at = 0; at < times; at++) found.push(await ask(`wrong-${at}`));
  return found;
}

test("after five wrong tokens few of an address are looked at, and only after a wait; others are refused unseen", async () => {
  const { ask, seen, lines } = limited(20);
  expect(await guess(ask, 5)).toEqual([401, 401, 401, 401, 401]);
  const flood = Array.from({ length: 500 }, (_, at) => ask(`flood-${at}`));
  expect(seen).toHaveLength(5);
  // Another address is let in at once, and is not counted with this one.
  expect(await ask(right, other)).toBe(operator);
  expect(seen).toHaveLength(6);
  const statuses = await Promise.all(flood);
  expect(statuses.filter((status) => status === 401)).toHaveLength(8);
  expect(statuses.filter((status) => status === 429)).toHaveLength(492);
  expect(seen).toHaveLength(14);
  expect(lines).toEqual(["wrong token from 192.0.2.7 (1 so far)", "wrong token from 192.0.2.7 (10 so far)"]);
});

test("a right token of an address that has guessed is let in after the wait, and from then on at once", async () => {
  const { ask, seen } = limited(5);
  await guess(ask, 6);
  const waits = ask(right);
  expect(seen).not.toContain(`Bearer ${right}`);
  expect(await waits).toBe(operator);
  await guess(ask, 20);
  const flood = Array.from({ length: 20 }, (_, at) => ask(`flood-${at}`));
  const before = seen.length;
  const again = ask(right);
  expect(seen).toHaveLength(before + 1);
  expect(await again).toBe(operator);
  await Promise.all(flood);
});

test("who leaves while waiting gives up the place, and the token is not looked at", async () => {
  const { ask, seen } = limited(60_000);
  await guess((token) => ask(token), 5);
  const leaving = new AbortController();
  const left = Array.from({ length: 8 }, () => ask(right, undefined, leaving.signal));
  expect(await ask(right)).toBe(429);
  leaving.abort();
  expect(await Promise.all(left)).toEqual(Array(8).fill(429));
  expect(seen).toHaveLength(5);
});

test("the addresses of one IPv6 network, and both forms of an IPv4 address, count as one", async () => {
  const { ask, seen } = limited(5);
  for (let at = 0; at < 5; at++) await ask("wrong", `2001:db8:0:7::${at}`);
  const waits = ask("wrong", "2001:0db8:0:7:ffff::1".replace("0db8", "db8"));
  expect(seen).toHaveLength(5);
  for (let at = 0; at < 5; at++) await ask("wrong", at % 2 ? "::ffff:192.0.2.1" : "192.0.2.1");
  const mapped = ask("wrong", "192.0.2.1");
  expect(seen).toHaveLength(10);
  expect(await Promise.all([waits, mapped])).toEqual([401, 401]);
});

test("a signed token does not wait where callers sign in", async () => {
  const { ask, seen } = limited(60_000, true);
  await guess((token) => ask(token), 5);
  expect(await ask("eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl")).toBe(401);
  expect(seen).toHaveLength(6);
});
