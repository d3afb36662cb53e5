import type { Description, Input, ModuleKind, Output } from "./messages.ts";

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
