/** Remembers after how many seconds the hosts of one owner gave up a call, by the name and version that they report. */
export interface HostTimeouts {
  /** Returns undefined when the host has not given up a call, or not for a long time. */
  get(host: HostIdentity): Promise<number | undefined>;
  set(host: HostIdentity, seconds: number): Promise<void>;
}

export interface HostIdentity {
  name: string;
  version: string;
}

/** Is how long a host's time-out is remembered, in milliseconds: 30 days. Its user may have set another one since. */
export const longestTimeoutRecordMs = 30 * 24 * 3_600_000;
