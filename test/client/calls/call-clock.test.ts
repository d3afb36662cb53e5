import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCallClock } from "../../../src/client/calls/request-sender.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(outer = new AbortController()) {
  const clock = createCallClock("maps route", 1000, 5000, outer.signal);
  clock.begin();
  return clock;
}

test("a call ends after its limit of silence, and progress begins that anew", () => {
  const clock = open();
  vi.advanceTimersByTime(999);
  clock.reset();
  vi.advanceTimersByTime(999);
  expect(clock.hasExpired()).toBe(false);
  vi.advanceTimersByTime(1);
  expect([clock.hasExpired(), clock.signal.aborted]).toEqual([true, true]);
  expect(clock.signal.reason).toMatchObject({ code: "timeout", text: { en: "maps route timed out after 1 s" } });
});

test("progress keeps a call alive no longer than its total limit", () => {
  const clock = open();
  for (let waited = 0; waited < 4500; waited += 500) {
    vi.advanceTimersByTime(500);
    clock.reset();
  }
  expect(clock.hasExpired()).toBe(false);
  vi.advanceTimersByTime(500);
  expect(clock.hasExpired()).toBe(true);
  expect(clock.signal.reason).toMatchObject({ text: { en: "maps route timed out after 5 s" } });
});

test("both limits stand still while a person is asked, also where two are asked at a time", () => {
  const clock = open();
  const first = clock.pause();
  const second = clock.pause();
  vi.advanceTimersByTime(60_000);
  first();
  vi.advanceTimersByTime(60_000);
  expect(clock.hasExpired()).toBe(false);
  second();
  vi.advanceTimersByTime(999);
  expect(clock.hasExpired()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(clock.hasExpired()).toBe(true);
});

test("silence does not count of a call that comes on its way while a person is asked", () => {
  const clock = createCallClock("maps route", 1000, 5000, new AbortController().signal);
  const resume = clock.pause();
  clock.begin();
  vi.advanceTimersByTime(60_000);
  expect(clock.hasExpired()).toBe(false);
  resume();
  vi.advanceTimersByTime(1000);
  expect(clock.hasExpired()).toBe(true);
});

test("silence does not count before a call is on its way, or once it is over", () => {
  const waiting = createCallClock("maps route", 1000, 5000, new AbortController().signal);
  vi.advanceTimersByTime(4999);
  expect(waiting.hasExpired()).toBe(false);
  const over = open();
  over.clear();
  vi.advanceTimersByTime(60_000);
  expect([over.hasExpired(), over.signal.aborted]).toEqual([false, false]);
});

test("a call ends with its caller's own reason, which is no limit", () => {
  const outer = new AbortController();
  const clock = open(outer);
  outer.abort(new Error("the user left"));
  expect([clock.hasExpired(), clock.signal.reason]).toEqual([false, new Error("the user left")]);
});
