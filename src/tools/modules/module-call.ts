import type { DuetError } from "../../kit/errors.ts";
import type { FromWorker, ModuleKind, Output, PlainError } from "./messages.ts";

export interface CallOptions {
  signal: AbortSignal;
  /** What is called, as errors of other calls name it. */
  label: string;
  /** The error of a call that is not done in time, while the module still answers. */
  lateError: () => DuetError;
  onProgress?: ((message: string) => void) | undefined;
}

/** A call that waits for its module. */
export interface Call<Kind extends ModuleKind> {
  id: number;
  options: CallOptions;
  /** Whether it has reached the module. */
  isStarted: boolean;
  resolve(output: Output<Kind>): void;
  reject(error: unknown): void;
}

type CallMessage<Kind extends ModuleKind> = Extract<
  FromWorker<Kind>,
  { type: "started" | "progress" | "result" | "failed" }
>;

/** Hands what the module sent about a call to whoever waits for it. */
export function settleCall<Kind extends ModuleKind>(call: Call<Kind>, message: CallMessage<Kind>): void {
  switch (message.type) {
    case "started":
      call.isStarted = true;
      return;
    case "progress":
      call.options.onProgress?.(message.message);
      return;
    case "result":
      call.resolve(message.output);
      return;
    case "failed":
      call.reject(toError(message.error));
  }
}

export function toPlainError(thrown: unknown): PlainError {
  return thrown instanceof Error
    ? { name: thrown.name, message: thrown.message }
    : { name: "AbortError", message: String(thrown) };
}

function toError({ name, message }: PlainError): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
