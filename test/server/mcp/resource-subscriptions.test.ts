import { expect, it } from "vitest";
import { createResourceSubscriptions, type FollowResource } from "../../../src/server/mcp/resource-subscriptions.ts";

/** Follows resources only when the test lets it, and counts what is still followed. */
function createSlowServer() {
  const asked: PromiseWithResolvers<void>[] = [];
  const followed = new Set<object>();
  const follow: FollowResource = async () => {
    const answer = Promise.withResolvers<void>();
    asked.push(answer);
    await answer.promise;
    const mine = {};
    followed.add(mine);
    return () => void followed.delete(mine);
  };
  return { asked, followed, follow };
}

it("follows a resource once, though it was subscribed to again before the server had answered", async () => {
  const { asked, followed, follow } = createSlowServer();
  const subscriptions = createResourceSubscriptions(follow, () => {});
  const { signal } = new AbortController();
  const first = subscriptions.subscribe("file:///a", signal);
  subscriptions.unsubscribe("file:///a");
  const second = subscriptions.subscribe("file:///a", signal);
  for (const each of asked) each.resolve();
  await Promise.all([first, second]);
  expect(followed.size).toBe(1);
  subscriptions.unsubscribe("file:///a");
  expect(followed.size).toBe(0);
});

it("keeps the second subscription where the first one fails late", async () => {
  const { asked, followed, follow } = createSlowServer();
  const subscriptions = createResourceSubscriptions(follow, () => {});
  const { signal } = new AbortController();
  const first = subscriptions.subscribe("file:///a", signal);
  subscriptions.unsubscribe("file:///a");
  const second = subscriptions.subscribe("file:///a", signal);
  asked[1]?.resolve();
  await second;
  asked[0]?.reject(new Error("too late"));
  await expect(first).rejects.toThrow("too late");
  subscriptions.close();
  expect(followed.size).toBe(0);
});
