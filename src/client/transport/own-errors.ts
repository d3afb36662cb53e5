/** Our transports settle a request that can no longer get a response with these JSON-RPC error codes. */
export const ownErrors = {
  /** The response is malformed: the package does not read it as JSON-RPC. */
  malformed: -32_096,
  /** The stream ended before the response. */
  cut: -32_097,
  /** The response exceeded the size limit. */
  tooLong: -32_098,
} as const;
