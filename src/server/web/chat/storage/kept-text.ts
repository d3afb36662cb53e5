import type { AttachedFile } from "../api/api.ts";

/** Is what somebody has written and this browser keeps until the server has it. */
export interface KeptText {
  readonly key: string;
  readonly kind: "draft" | "unsent" | "queued";
  /** Is the tab in which it was written. */
  readonly tab: string;
  /** Names who was signed in, so that nobody else sees it. */
  readonly owner: string;
  /** Is when it was written, in milliseconds since 1970. */
  readonly at: number;
  /** Is undefined where it would begin a conversation. */
  readonly conversationId: string | undefined;
  readonly text: string;
  readonly files: readonly AttachedFile[];
  /** Is true for what was not taken and was to wait for the end of a run. */
  readonly isQueued?: boolean | undefined;
  /** Is the run to which it was said, of which nobody knows whether its models read it. */
  readonly saidTo?: string | undefined;
  /** Is the request of a question that waits on the server, or that it may have, without the files. */
  readonly request?: object | undefined;
  /** Is the ID that its run will have. */
  readonly runId?: string | undefined;
  /** Is until when its deleted conversation can be restored, in milliseconds since 1970; undefined where it is not known to be deleted. */
  readonly restorableUntil?: number | undefined;
}

/** Keeps texts in the browser's database, which all tabs share. Nothing rejects: where there is no database, nothing is kept. */
export interface KeptDatabase {
  list(): Promise<readonly KeptText[]>;
  /** Writes and removes, all of it or nothing; false where it is nothing. */
  change(written: readonly KeptText[], removed: readonly string[]): Promise<boolean>;
}
