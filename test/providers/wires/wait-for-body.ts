import { onTestFinished, vi } from "vitest";
import { ResponseReceiver } from "../../../src/providers/wires/response-receiver.ts";

/** Resolves when a test's next body is about to be read: the head of its response has come, and its reader waits for more. */
export function waitForBody(): Promise<void> {
  const reading = Promise.withResolvers<void>();
  const { read } = ResponseReceiver.prototype;
  const spy = vi.spyOn(ResponseReceiver.prototype, "read");
  spy.mockImplementation(function (this: ResponseReceiver, onChunk) {
    reading.resolve();
    return read.call(this, onChunk);
  });
  onTestFinished(() => spy.mockRestore());
  return reading.promise;
}
