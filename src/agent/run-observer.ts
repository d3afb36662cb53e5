import type { AgentEvent } from "../core/events.ts";

/** Follows the events of one run, each at the moment it happens. */
export interface RunObserver {
  /** The trace id under which the run is known outside: 32 hex digits. The run draws one itself where there is none. */
  readonly traceId: string | undefined;
  /** Must not throw. */
  handle(event: AgentEvent): void;
}
