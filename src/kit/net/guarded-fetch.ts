export interface OutgoingRequest {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Limits the decoded body. The rest is not read, and `truncated` is set. With 0 nothing is read. */
  maxBytes: number;
  /** Limits the time from the first lookup to the last byte, all hops together. */
  timeoutMs: number;
  /** Is at most 5. With 0 the redirect itself is returned. */
  maxRedirects: number;
  signal: AbortSignal;
  /** Is called before each hop, in addition to the general rules. Throws to refuse the hop. */
  permits?(url: URL): void;
}

export interface OutgoingResponse {
  /** Holds the URL of the last hop. */
  url: string;
  status: number;
  /** Holds the standard name of the status, and is empty for a nonstandard status. */
  statusText: string;
  /** Maps names in lower case to values. The values of a name that came twice are joined by `, `. */
  headers: Record<string, string>;
  /** Holds the decoded body. */
  body: Buffer;
  truncated: boolean;
  /** Holds the expiry of the last hop's certificate, in milliseconds since 1970. It is absent without TLS. */
  certificateUntil?: number | undefined;
  elapsedMs: number;
}

/**
 * Checks the address of every hop before it connects, and gives each hop its own connection. A redirect to another origin gets
 * only the method and the harmless headers of a request.
 */
export interface GuardedFetch {
  /** Throws a `DuetError` whose text says what was refused or went wrong, or the signal's reason. */
  request(request: OutgoingRequest): Promise<OutgoingResponse>;
  /** Opens a TCP connection and closes it; gives the milliseconds it took. Throws as `request` does. */
  connect(host: string, port: number, options: { timeoutMs: number; signal: AbortSignal }): Promise<number>;
}
