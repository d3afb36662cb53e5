import type { MessagePort } from "node:worker_threads";
import type { ToolAnnotations, ToolResult } from "../../core/tools/tool.ts";
import type { DuetError } from "../../kit/errors.ts";
import type { JsonObject, JsonSchema, JsonValue } from "../../kit/json.ts";
import type { Locale, Text } from "../../kit/locale.ts";

/** Defines for each kind of module its description after loading, and the input and output of a call. All of it can be cloned. */
interface Kinds {
  /** Is a module of `tools.directory`. */
  tools: { description: ToolReport[]; input: ToolInput; output: ToolResult };
  /** Is a module whose default export is a function of one object, such as the evaluator. The function also gets `signal`. */
  function: { description: FunctionReport; input: Record<string, unknown>; output: JsonValue | undefined };
}

export type ModuleKind = keyof Kinds;

export type Description<Kind extends ModuleKind> = Kinds[Kind]["description"];

export type Input<Kind extends ModuleKind> = Kinds[Kind]["input"];

export type Output<Kind extends ModuleKind> = Kinds[Kind]["output"];

/** Holds one tool of a module, or why it cannot be used. `where` names its file and, in a list, its position. */
export type ToolReport = { where: string } & ({ tool: ToolFacts } | { refused: Text });

export interface ToolFacts {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  annotations: ToolAnnotations;
}

export interface ToolInput {
  tool: string;
  args: JsonObject;
  locale: Locale;
}

/** Holds the type of the default export, or `undefined` when there is none. */
export interface FunctionReport {
  found: string;
}

export interface WorkerData {
  /** All messages use this port. `parentPort` is left to packages that assume the worker is theirs. */
  port: MessagePort;
  kind: ModuleKind;
  path: string;
  /** Is the file name that errors show. */
  file: string;
  /** Lists folders whose modules may import `duet-mcp` and `zod`, as URLs that end in `/`. */
  lendTo: readonly string[];
  /** Is the directory for compiled code, if any. */
  compileCache: string | undefined;
}

/** Represents an error that is sent between threads. A reason that is not an error is sent as its text. */
export interface PlainError {
  name: string;
  message: string;
}

export type ToWorker<Kind extends ModuleKind = ModuleKind> =
  | { type: "call"; id: number; input: Input<Kind> }
  | { type: "abort"; id: number; reason: PlainError }
  | { type: "ping"; id: number };

export type FromWorker<Kind extends ModuleKind = ModuleKind> =
  /** The thread has begun to import the module. */
  | { type: "importing" }
  | { type: "loaded"; description: Description<Kind> }
  | { type: "refused"; text: Text }
  /** The call has reached the module. */
  | { type: "started"; id: number }
  | { type: "progress"; id: number; message: string }
  | { type: "result"; id: number; output: Output<Kind> }
  | { type: "failed"; id: number; error: PlainError }
  | { type: "output"; text: string }
  /** It printed more than is shown. */
  | { type: "output-missing"; characters: number }
  | { type: "pong"; id: number };

/** States why a thread ended without being told to. */
export type Ending = { by: "exit"; code: number } | { by: "error"; thrown: unknown } | { by: "memory" };

/** Represents a module as its thread serves it. */
export interface ModuleServer<Kind extends ModuleKind = ModuleKind> {
  readonly description: Description<Kind>;
  /** Results and thrown values must be cloneable. */
  call(input: Input<Kind>, context: ModuleContext): Promise<Output<Kind>>;
}

export interface ModuleContext {
  signal: AbortSignal;
  progress(message: string): void;
}

export interface CallOptions {
  signal: AbortSignal;
  /** Names the call in the errors of other calls. */
  label: string;
  /** Creates the error for a call that exceeds its time while the module still responds. */
  lateError: () => DuetError;
  /** Limits the call, in milliseconds, where that is not the limit of the module's other calls. */
  limitMs?: number | undefined;
  onProgress?: ((message: string) => void) | undefined;
}

/** Represents a call that waits for its module. */
export interface Call<Kind extends ModuleKind> {
  id: number;
  options: CallOptions;
  /** Is true once the call has reached the module. */
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
