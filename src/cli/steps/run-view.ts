import type { AgentEvent } from "../../core/events.ts";
import type { Live } from "../terminal/live.ts";

/** A run on the screen: what is finished goes to the screen's finished lines, what changes is asked for at each frame. */
export interface RunView {
  take(event: AgentEvent): void;
  /** What stands below the finished lines now, in at most so many lines. */
  live(rows: number): Live["lines"];
  /** Settles when all of it is among the finished lines, also where its events broke off. */
  close(): Promise<void>;
}
