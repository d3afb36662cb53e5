import type { ServerLogEntry, ServerLogLevel } from "../server-log.ts";

/** Reaches the host that has made a call itself, beside the call: what a server asks of its program, and says to it. */
export interface CallingHost {
  /** Stands for the host: links with the same one lead to the same host. */
  readonly person: object;
  /** Is whose host it is, as in `Caller.owner`; absent where callers are not told apart. */
  readonly owner: string | undefined;
  /** Takes what the server logs during the call; absent where the host has not asked for logs. */
  log?(entry: ServerLogEntry): void;
  /** Is the level from which on the host wants them; absent where it has not said. */
  readonly logLevel?: ServerLogLevel | undefined;
  /**
   * Has the host's model write a text, by the params and the result of MCP's `sampling/createMessage`. Absent where the host has
   * none for others. Never rejects, and ends in time; undefined when the host has not written it.
   */
  sample?(params: Record<string, unknown>, signal: AbortSignal): Promise<Record<string, unknown> | undefined>;
}
