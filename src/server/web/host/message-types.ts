/** JSON-RPC with the program that shows the page. */
export interface Messages {
  /** Rejects when the host answers with an error, when the time is over, and when the signal aborts: then the host is told. */
  request(method: string, params: object, options: RequestOptions): Promise<unknown>;
  notify(method: string, params: object): void;
}

export interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}
