/** What the tools that go out may reach; see the configuration's `web`. */
export interface OutgoingRules {
  /** Hosts, ranges and ports that may be reached although they are private: `localhost:8080`, `10.0.0.0/8`, `db.example.com:5432`. */
  reach: readonly string[];
  /** Ports of public hosts. */
  ports: readonly number[];
}

export interface OutgoingRequest {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Of the decoded body; the rest is not read, and `truncated` says so. */
  maxBytes: number;
  /** From the first lookup to the last byte, all hops together. */
  timeoutMs: number;
  /** 0 gives the redirect itself back. */
  maxRedirects: number;
  signal: AbortSignal;
  /** Asked before each hop, beside the rules of all: throws what refuses it. */
  permits?(url: URL): void;
}

export interface OutgoingResponse {
  /** Of the last hop. */
  url: string;
  status: number;
  /** Names in lower case; one that came twice is joined by `, `. */
  headers: Record<string, string>;
  /** Decoded. */
  body: Buffer;
  truncated: boolean;
  elapsedMs: number;
}

/** The one door out: the address that is dialled is judged, at every hop. */
export interface Outgoing {
  /** Throws a `DuetError` whose text says what was refused or went wrong, or the signal's reason. */
  request(request: OutgoingRequest): Promise<OutgoingResponse>;
  /** Opens a TCP connection and closes it; gives the milliseconds it took. Throws as `request` does. */
  connect(host: string, port: number, options: { timeoutMs: number; signal: AbortSignal }): Promise<number>;
}
