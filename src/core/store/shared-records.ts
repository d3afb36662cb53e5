/**
 * Keeps small records that belong to no conversation's words, for all machines that share the store. Where there are none, each machine
 * keeps such things in files or in memory.
 */
export interface SharedRecords {
  readonly notifications: ProcessNotifications;
  get(kind: RecordKind, name: string): Promise<SharedRecord | undefined>;
  /** Keeps a record in place of an earlier one, without end or for so many milliseconds. Returns its version. */
  put(kind: RecordKind, name: string, data: string, lastsMs?: number): Promise<number>;
  /** Keeps a record where there is none, and returns the one that is there. */
  add(kind: RecordKind, name: string, data: string): Promise<string>;
  /** Lets a record last for so many milliseconds from now; false when there is none. */
  extend(kind: RecordKind, name: string, lastsMs: number): Promise<boolean>;
  /** Lists the names of the records of a kind that begin with a text, oldest first, without those that are over. */
  list(kind: RecordKind, prefix: string): Promise<string[]>;
  /** Resolves to false when there was none. */
  remove(kind: RecordKind, name: string): Promise<boolean>;
  /**
   * Does the work while nobody else, in any process, does one under that name. Rejects with the signal's reason, or with what the work
   * throws. Whoever does not renew its turn loses it after a few seconds: the signal that the work is given aborts then, and with the
   * other one.
   */
  exclusively<T>(
    kind: RecordKind,
    name: string,
    signal: AbortSignal,
    work: (during: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

/** Notifies the processes that share the store. */
export interface ProcessNotifications {
  /** Sends a text of a few words to those that listen at that moment. Rejects as the store does. */
  publish(text: string): Promise<void>;
  /**
   * Calls the listener with each text, also with one of this process, until the returned function is called, and with undefined where
   * something may have been missed: after the connection was lost, and every 250 ms where a pooler keeps notifications back.
   */
  subscribe(listener: (text: string | undefined) => void): () => void;
}

/** Opens the records that other machines share. It is absent where each machine keeps its own. */
export type FindRecords = () => Promise<SharedRecords>;

/**
 * Names what there are records of: pins of tool servers, sign-ins to them, keys, answers that hold for a conversation, sessions of MCP,
 * messages of their clients that came to another process than the one they are for, and turns to reply to a plan.
 */
export type RecordKind = "pins" | "credentials" | "key" | "approvals" | "mcp-session" | "mcp-message" | "plan";

export interface SharedRecord {
  data: string;
  /** Is a higher number after each change. */
  version: number;
}
