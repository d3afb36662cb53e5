import { expect, test } from "vitest";
import { ApiError } from "../../../src/server/web/chat/api/api-error.ts";
import { setLinkToken, watchLinks } from "../../../src/server/web/chat/storage/link-token.ts";
import { createSignInGate } from "../../../src/server/web/chat/storage/sign-in-gate.ts";
import { createTabStorage } from "../../../src/server/web/chat/storage/tab-storage.ts";

/** A tab whose browser denies its storage keeps things in memory. */
function openTab(token?: string) {
  const keeper = createTabStorage(() => {
    throw new Error("denied");
  });
  if (token !== undefined) keeper.keepToken(token);
  keeper.keepChat({ locale: "zh", choices: { mode: "plan" }, conversationId: "conv-1", runs: [] });
  const asked: boolean[] = [];
  const set = (given: string | undefined, says: boolean) => {
    const ask = async () => {
      asked.push(says);
      return says;
    };
    const readOwner = async (token: string) => token.replace(/ .*/, "");
    return setLinkToken(given, keeper, ask, readOwner);
  };
  return { keeper, asked, set };
}

test("the token of a link is kept where there is none, and no question is asked about the same one", async () => {
  const { keeper, asked, set } = openTab();
  await set(undefined, true);
  expect(keeper.token()).toBeUndefined();
  await set("first", false);
  await set("first", false);
  expect(keeper.token()).toBe("first");
  expect(asked).toEqual([]);
});

test("another token replaces one only after a yes, and what was in sight is forgotten with it", async () => {
  const { keeper, asked, set } = openTab("mine");
  await set("theirs", false);
  expect(keeper.token()).toBe("mine");
  expect(keeper.chat().conversationId).toBe("conv-1");
  await set("theirs", true);
  expect(keeper.token()).toBe("theirs");
  keeper.removeMarked();
  expect(keeper.token()).toBe("theirs");
  expect(keeper.chat()).toMatchObject({ locale: "zh", choices: { mode: "plan" }, conversationId: undefined });
  expect(asked).toEqual([false, true]);
});

test("another token of the same owner leaves what is in sight", async () => {
  const { keeper, set } = openTab("ann old");
  keeper.keepOwner("ann");
  await set("ann new", true);
  keeper.removeMarked();
  expect(keeper.token()).toBe("ann new");
  expect(keeper.owner()).toBe("ann");
  expect(keeper.chat().conversationId).toBe("conv-1");
});

test("a token of which the server does not say whose it is leaves the tab to nobody in particular", async () => {
  const { keeper } = openTab("ann old");
  const readOwner = () => Promise.reject(new Error("not reached"));
  await setLinkToken("ann new", keeper, async () => true, readOwner);
  keeper.removeMarked();
  expect(keeper.chat().conversationId).toBeUndefined();
});

test("what waits for a sign-in is released for the owner of the tab alone, and only an unknown token is called wrong", async () => {
  const { keeper } = openTab("ann old");
  keeper.keepOwner("ann");
  const refused: string[] = [];
  const gate = createSignInGate({
    keeper,
    ask() {},
    async readOwner(token) {
      if (token === "nobody") throw new ApiError(401, "unknown", null);
      if (token === "no scope") throw new ApiError(403, "the token has no scope", null);
      return token.replace(/ .*/, "");
    },
    admitOwner: (owner) => owner === keeper.owner(),
    onRefusal: ({ message }) => refused.push(message),
  });
  const released: string[] = [];
  const waiting = gate.signIn().then(() => void released.push("released"));
  expect(await gate.setToken("nobody")).toBe("unknown");
  expect(await gate.setToken("no scope")).toBe("refused");
  expect(refused).toEqual(["unknown", "the token has no scope"]);
  expect(await gate.setToken("bob")).toBe("accepted");
  await Promise.resolve();
  expect([gate.token(), keeper.token(), ...released]).toEqual(["ann old", "bob"]);
  expect(await gate.setToken("ann new")).toBe("accepted");
  await waiting;
  expect([gate.token(), ...released]).toEqual(["ann new", "released"]);
});

test("a link that finds the page open is told once, off the address, and to nobody else", () => {
  const location = { hash: "", pathname: "/", search: "" };
  const history = {
    replaceState(_: unknown, __: string, place: string) {
      location.hash = place.slice(1);
    },
  };
  const events = new EventTarget();
  const addEventListener = events.addEventListener.bind(events);
  const told: string[] = [];
  watchLinks({ location, history, addEventListener }, (token) => told.push(token));
  addEventListener("popstate", () => told.push("another listener"));
  for (const hash of ["#token=theirs", "#conversation=conv-2"]) {
    location.hash = hash;
    for (const name of ["popstate", "hashchange"]) events.dispatchEvent(new Event(name));
  }
  expect(told).toEqual(["theirs", "another listener"]);
  expect(location.hash).toBe("#conversation=conv-2");
});
