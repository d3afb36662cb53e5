/** Said by what stands before the server; a question asked again with its key is the same one. */
export function isGatewayError(status: number): boolean {
  return status === 502 || status === 504;
}
