export interface OutgoingRequest {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Of the decoded body; the rest is not read, and `truncated` says so. 0 reads none of it. */
  maxBytes: number;
  /** From the first lookup to the last byte, all hops together. */
  timeoutMs: number;
  /** At most 5; 0 gives the redirect itself back. */
  maxRedirects: number;
  signal: AbortSignal;
  /** Asked before each hop, beside the rules of all: throws what refuses it. */
  permits?(url: URL): void;
}

export interface OutgoingResponse {
  /** Of the last hop. */
  url: string;
  status: number;
  /** What the standard calls it; empty for a status of the server's own. */
  statusText: string;
  /** Names in lower case; one that came twice is joined by `, `. */
  headers: Record<string, string>;
  /** Decoded. */
  body: Buffer;
  truncated: boolean;
  /** When the certificate of the last hop ends, in milliseconds since 1970; absent without TLS. */
  certificateUntil?: number | undefined;
  elapsedMs: number;
}

/**
 * The one door out: the address that is dialled is judged, at every hop, and each hop has a connection of its own. What a redirect
 * to another origin gets of a request is its method and its harmless headers.
 */
export interface GuardedFetch {
  /** Throws a `DuetError` whose text says what was refused or went wrong, or the signal's reason. */
  request(request: OutgoingRequest): Promise<OutgoingResponse>;
  /** Opens a TCP connection and closes it; gives the milliseconds it took. Throws as `request` does. */
  connect(host: string, port: number, options: { timeoutMs: number; signal: AbortSignal }): Promise<number>;
}
