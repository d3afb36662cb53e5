import { onTestFinished, vi } from "vitest";
import { ResponseReceiver } from "../../../src/providers/wires/response-receiver.ts";

/** Resolves when a test's next body is about to be read: the head of its response has come, and its reader waits for more. */
export function waitForBody(): Promise<void> {
  return waitForCall("read");
}

/** Resolves when a test's next response has come to its end, whether anybody reads it or not. */
export function waitForEnd(): Promise<void> {
  return waitForCall("onResponseEnd");
}

function waitForCall(name: "read" | "onResponseEnd"): Promise<void> {
  const called = Promise.withResolvers<void>();
  const original: (...given: never[]) => unknown = ResponseReceiver.prototype[name];
  const spy = vi.spyOn(ResponseReceiver.prototype, name);
  spy.mockImplementation(function (this: ResponseReceiver, ...given: unknown[]) {
    called.resolve();
    return Reflect.apply(original, this, given);
  });
  onTestFinished(() => spy.mockRestore());
  return called.promise;
}
