import { expect, test } from "vitest";
import { outcomeIn, problemIn, serveApi } from "./served-api.ts";

test("a run's trace is there when it has ended, for its caller alone; a run that goes on has none", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { chat, send } = await serveApi({ turns: ["Hello."], gate: promise });
  const begun = await outcomeIn(chat({ message: "Hi?", wait_s: 1 }, { as: "ann" }));
  const path = `/agent/runs/${begun.run_id}/trace`;
  expect((await send(path, { as: "ann" })).status).toBe(404);
  resolve();
  await expect.poll(async () => (await send(path, { as: "ann" })).status).toBe(200);
  const told: unknown = await (await send(path, { as: "ann" })).json();
  expect(told).toMatchObject({
    run_id: begun.run_id,
    question: "Hi?",
    final_answer: "Hello.",
    phases: [{ phase: "decide", model: expect.any(String) }],
    steps: [{ phase: 1, action: { type: "final" } }],
  });
  const refused = await send(path, { as: "ben" });
  expect(refused.status).toBe(404);
  expect((await problemIn(refused)).detail).toContain("There is no trace of a run");
});
