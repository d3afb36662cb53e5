/** JSON-RPC error codes of our own, with which our transports settle a request that can get no answer any more. */
export const ownErrors = {
  /** The stream of the answer ended before the answer. */
  cut: -32_097,
  /** The answer was longer than we take. */
  tooLong: -32_098,
} as const;
