import { expect, onTestFinished, test, vi } from "vitest";
import { createFloodGate } from "../../../src/client/transport/flood-gate.ts";

function gate() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const later: string[] = [];
  const created = createFloodGate((line) => later.push(line));
  onTestFinished(() => created.close());
  return { gate: created, later };
}

const changed = (list: string) => `{"jsonrpc":"2.0","method":"notifications\\/${list}/list_changed"}`;

test("what is beyond a thousand messages a second is dropped and counted, and there is room again a moment later", () => {
  const { gate: flooded } = gate();
  const passed = Array.from({ length: 5000 }, () => flooded.passes("{}")).filter(Boolean);
  expect(passed).toHaveLength(1000);
  expect(flooded.dropped).toBe(4000);
  vi.advanceTimersByTime(1000);
  expect(flooded.passes("{}")).toBe(true);
});

test("news that a list has changed is never lost: it comes later, once for each list", () => {
  const { gate: flooded, later } = gate();
  for (let count = 0; count < 1000; count += 1) flooded.passes("{}");
  for (let count = 0; count < 1000; count += 1) flooded.passes(changed(count % 2 === 0 ? "tools" : "prompts"));
  expect(later).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(later).toEqual([changed("tools"), changed("prompts")]);
});

test("nothing comes after the end", () => {
  const { gate: flooded, later } = gate();
  for (let count = 0; count < 1100; count += 1) flooded.passes(changed("tools"));
  flooded.close();
  vi.advanceTimersByTime(1000);
  expect(later).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
