/** Holds the URL of a wire's requests and the headers that sign them. */
export interface Address {
  url: string;
  headers: Record<string, string>;
}

/**
 * Describes what Duet uses of both vendors' packages: they build addresses and sign requests. Duet itself does the sending,
 * retries, limits and reading.
 */
export interface Signer {
  buildRequest(options: {
    method: "post";
    path: string;
    body: object;
    headers: Record<string, string | null>;
  }): Promise<{ url: string; req: { headers: Headers } }>;
}

// The packages add headers that describe this machine, and any that OPENAI_CUSTOM_HEADERS or ANTHROPIC_CUSTOM_HEADERS
// hold, to whichever vendor is called; only what a request needs goes out.
const wanted = ["accept", "authorization", "content-type", "user-agent", "anthropic-version", "anthropic-beta"];

/**
 * Has a package address and sign the requests of one path. They differ in their bodies alone, so it is asked once: being
 * asked for each would cost a tenth of a question.
 */
export function signOnce(client: Signer, path: string, apiKey: string | undefined): () => Promise<Address> {
  const authorization = apiKey ? `Bearer ${apiKey}` : null;
  let signed: Promise<Address> | undefined;
  return () => {
    signed ??= client.buildRequest({ method: "post", path, body: {}, headers: { authorization } }).then(toAddress);
    return signed;
  };
}

function toAddress({ url, req }: Awaited<ReturnType<Signer["buildRequest"]>>): Address {
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  for (const name of wanted) {
    const value = req.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { url, headers };
}
