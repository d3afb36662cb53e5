import type { Socket } from "node:net";
import type { Pool } from "undici";

export interface ConnectHandling {
  /** Prepares a socket before the first request goes over it. */
  prepare?(socket: Socket): void;
  /** Returns what a failure to connect is reported as; it is reported as it is when absent. */
  explain?(error: Error): Error;
}

/** Returns options whose way to connect is handled so. Those without a function for it are returned as they are. */
export function handleConnect(options: Pool.Options, { prepare, explain }: ConnectHandling): Pool.Options {
  const { connect } = options;
  if (typeof connect !== "function") return options;
  return {
    ...options,
    connect: (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (error !== null) return callback(explain ? explain(error) : error, null);
        prepare?.(socket);
        callback(null, socket);
      }),
  };
}
