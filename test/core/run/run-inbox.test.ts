import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createRunInbox, type InboxReader, type RunInbox } from "../../../src/core/run/run-inbox.ts";

/** Attaches a reader that has much, and returns a reference that does not keep it. */
function attachReader(inbox: RunInbox): WeakRef<InboxReader> {
  const held = new Array(1000).fill("much");
  const reader: InboxReader = { isAnswering: () => held.length === 0, onArrive: () => {} };
  inbox.attach(reader);
  return new WeakRef(reader);
}

test("the inbox of a run that is over keeps nothing of the run, and takes no message", async () => {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  const inbox = createRunInbox();
  const reader = attachReader(inbox);
  expect(inbox.send("while it works")).toBe("next_step");
  expect(inbox.close()).toHaveLength(1);
  expect(inbox.send("too late")).toBe("after_run");
  // What a WeakRef has given is kept until the turn is over.
  await new Promise((resolve) => setImmediate(resolve));
  if (typeof collect === "function") collect();
  expect(reader.deref()).toBeUndefined();
  expect(inbox.waiting).toEqual([]);
});
