import { expect, test } from "vitest";
import { localRuns, type SharedRun, type SharedRuns } from "../../src/core/store/shared-runs.ts";
import { createFollowedRuns } from "../../src/runs/followed-runs.ts";

const caller = { owner: "anna" };

/** Lists runs of other processes, and tells which are asked to end where nobody waits for them. */
async function stop(request: { sessionId: string; requestId?: number }, onDisconnect: "cancel" | "finish" = "cancel") {
  const toRun = (runId: string, hostRequest?: object, more: object = {}): SharedRun =>
    ({ runId, owner: "anna", isHeld: true, header: { entrance: "http", hostRequest, ...more } }) as SharedRun;
  const sent: unknown[] = [];
  const shared: SharedRuns = {
    ...localRuns,
    isShared: true,
    list: async () => [
      toRun("free", { sessionId: "s", requestId: 1 }),
      { ...toRun("unheld", { sessionId: "s", requestId: 1 }), isHeld: false },
      toRun("kept", { sessionId: "s", requestId: 1 }, { onDisconnect: "finish" }),
      toRun("text", { sessionId: "s", requestId: "1" }),
      toRun("next", { sessionId: "s", requestId: 2 }),
      toRun("other", { sessionId: "t", requestId: 1 }),
      toRun("none"),
      toRun("limited", { sessionId: "s", requestId: 1 }, { callerTools: ["a*"] }),
      toRun("stdio", { sessionId: "s", requestId: 1 }, { entrance: "stdio" }),
    ],
    send: async (runId, message) => void sent.push([runId, message.type]),
  };
  const duet = { trace: async () => undefined, localeFor: () => "en" as const };
  const storedRuns = { openShared: async () => shared, canResume: () => true };
  const followed = createFollowedRuns({ duet, storedRuns, entrance: "http", isOwn: () => false, onDisconnect });
  await followed.stopAbandoned(request, caller);
  return sent;
}

test("a cancel asks the runs of its request to end", async () => {
  const stopped = await stop({ sessionId: "s", requestId: 1 });
  expect(stopped.sort()).toEqual(["free", "unheld"].map((runId) => [runId, "abandon"]));
});

test("the end of a session asks those of all its requests", async () => {
  const stopped = await stop({ sessionId: "s" });
  expect(stopped.sort()).toEqual(["free", "next", "text", "unheld"].map((runId) => [runId, "abandon"]));
});

test("a run that is to finish without anybody goes on", async () => {
  expect(await stop({ sessionId: "s", requestId: 1 }, "finish")).toEqual([]);
});
