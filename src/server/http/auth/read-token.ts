/**
 * Returns the token that a request brings, and undefined when it brings none in a form that is read: `Authorization: Bearer`, and
 * for the model APIs below `/v1` also `x-api-key`, in which clients of Anthropic's API send theirs.
 */
export function readToken(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  if (header === null) return readApiKey(request);
  return /^bearer( |$)/i.test(header) ? header.slice("bearer ".length).trim() : undefined;
}

/** Returns true for a request that wants to be known by what it brings, whatever that is. */
export function hasCredential(request: Request): boolean {
  return request.headers.has("authorization") || readApiKey(request) !== undefined;
}

function readApiKey(request: Request): string | undefined {
  const isModelApi = /^\/v1(?:\/|$)/.test(new URL(request.url).pathname);
  return isModelApi ? request.headers.get("x-api-key")?.trim() : undefined;
}
