import type { MessagePort } from "node:worker_threads";
import type { ToolAnnotations, ToolResult } from "../../core/tools/tool.ts";
import type { DuetError, Locale, Text } from "../../kit/errors.ts";
import type { JsonObject, JsonSchema, JsonValue } from "../../kit/json.ts";

/** What each kind of module says of itself when it is loaded, and what a call takes and gives. All of it can be cloned. */
interface Kinds {
  /** A module of `tools.directory`. */
  tools: { description: ToolReport[]; input: ToolInput; output: ToolResult };
  /** A module whose default export is a function of one object, such as the evaluator; the function gets `signal` beside it. */
  function: { description: FunctionReport; input: Record<string, unknown>; output: JsonValue | undefined };
}

export type ModuleKind = keyof Kinds;

export type Description<Kind extends ModuleKind> = Kinds[Kind]["description"];

export type Input<Kind extends ModuleKind> = Kinds[Kind]["input"];

export type Output<Kind extends ModuleKind> = Kinds[Kind]["output"];

/** One tool of a module, or why it cannot be used; `where` names its file and, in a list, its place. */
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

/** The type of the default export, `undefined` where there is none. */
export interface FunctionReport {
  found: string;
}

/** What a worker is started with. */
export interface WorkerData {
  /** Everything goes this way: `parentPort` is left to packages that think the worker theirs. */
  port: MessagePort;
  kind: ModuleKind;
  /** The module's path. */
  path: string;
  /** How errors name it. */
  file: string;
  /** Folders, as URLs that end in `/`, whose modules may import `duet-mcp` and `zod`. */
  lendTo: readonly string[];
  /** Where compiled code is kept, if anywhere. */
  compileCache: string | undefined;
}

/** An error as it crosses; a reason that is no error is its text. */
export interface PlainError {
  name: string;
  message: string;
}

export type ToWorker<Kind extends ModuleKind = ModuleKind> =
  | { type: "call"; id: number; input: Input<Kind> }
  | { type: "abort"; id: number; reason: PlainError }
  | { type: "ping"; id: number };

export type FromWorker<Kind extends ModuleKind = ModuleKind> =
  /** The thread has begun with the module itself. */
  | { type: "importing" }
  | { type: "loaded"; description: Description<Kind> }
  | { type: "refused"; text: Text }
  /** The call has reached the module. */
  | { type: "started"; id: number }
  | { type: "progress"; id: number; message: string }
  | { type: "result"; id: number; output: Output<Kind> }
  | { type: "failed"; id: number; error: PlainError }
  /** What the module printed. */
  | { type: "output"; text: string }
  /** It printed more than is shown. */
  | { type: "output-missing"; characters: number }
  | { type: "pong"; id: number };

/** Why a thread came to its end without being told to. */
export type Ending = { by: "exit"; code: number } | { by: "error"; thrown: unknown } | { by: "memory" };

/** A module as its thread serves it to the program. */
export interface ModuleServer<Kind extends ModuleKind = ModuleKind> {
  readonly description: Description<Kind>;
  /** What it gives and what it throws must be such that it can be cloned. */
  call(input: Input<Kind>, context: ModuleContext): Promise<Output<Kind>>;
}

export interface ModuleContext {
  signal: AbortSignal;
  progress(message: string): void;
}

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
