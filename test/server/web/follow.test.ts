import { expect, onTestFinished, test, vi } from "vitest";
import { type CallTool, createFollower } from "../../../src/server/web/host/follow.ts";
import type { RunChange } from "../../../src/server/web/run/page-run-state.ts";

test("a run that cannot be looked at is given up after four tries, in the language of that time", async () => {
  let language = "en";
  const { follower, changes, calls } = followerOf(
    async () => {
      throw new Error("The host calls no tools.");
    },
    () => language,
  );
  follower.ask({ question: "Well?", confirmation: undefined });
  language = "zh";
  await vi.advanceTimersByTimeAsync(600_000);
  expect(calls()).toBe(4);
  expect(changes).toEqual([
    { type: "asked", question: "Well?" },
    { type: "problem", problem: { message: "zh", hint: null } },
  ]);
});

test("a call that is cancelled before its run was found is over, and nobody looks any more", async () => {
  const { follower, changes, calls } = followerOf(async () => ({ isError: false, structured: {}, text: "" }));
  follower.ask({ question: "Well?", confirmation: undefined });
  await vi.advanceTimersByTimeAsync(1000);
  follower.cancel();
  const before = calls();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls()).toBe(before);
  expect(changes.at(-1)).toEqual({ type: "plain", text: "", isFailed: false });
});

function followerOf(callTool: CallTool, notFollowed = () => "") {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const changes: RunChange[] = [];
  const counted = vi.fn(callTool);
  const follower = createFollower({ callTool: counted, change: (change) => changes.push(change), notFollowed });
  return { follower, changes, calls: () => counted.mock.calls.length };
}
